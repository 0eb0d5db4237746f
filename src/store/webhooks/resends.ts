// Sends deliveries again on request: one at once, or some of all that failed or are held, as a step of a job.
import { DELIVERY_TRANSITIONS } from '../../model/deliveryState.ts';
import type { ResendPage, ResendQuery } from '../../webhooks/ports/resend.ts';
import type { WebhookStore } from '../../webhooks/ports/webhookStore.ts';
import type { Script, Value } from '../engine/script.ts';
import { numbers, rows, unread } from '../engine/script.ts';
import { jobScripts } from '../jobs/jobTables.ts';
import type { TableDependencies } from '../transaction.ts';
import { recordDecision, transaction } from '../transaction.ts';
import { DELIVERY_BY_ID, WINDOW, deliveryOf, logged } from './deliverySearch.ts';
import { WEBHOOK_NUMBER, lockLedgerOf, queue, stateAllows } from './webhookTables.ts';

/** Deliveries of an inactive webhook that wait for its activation: no attempt runs, and none was requested. */
const IS_HELD = 'owner is null and sent_while_inactive = 0';
/** A delivered one that is sent again is not shown as held. */
const IS_SHOWN_AS_HELD = `${IS_HELD} and coalesce(resend_of, '') <> 'delivered'`;

const COUNT = {
  failed: `select count(*) from delivery where is_failed = 1 and webhook_seq = (${WEBHOOK_NUMBER}) and settled_at >= $2`,
  held: `select count(*) from queue where ${IS_SHOWN_AS_HELD} and webhook_seq = (${WEBHOOK_NUMBER}) and created_at >= $2
    and exists (select 1 from webhook where id = $1 and active = 0)`,
};

/** When the webhook was deactivated, or 0 if it was created inactive. */
const DEACTIVATED_AT = 'select coalesce(deactivated_at, 0) from webhook where seq = $1 and active = 0';

const NO_MORE = { requeued: 0, isLast: true } as const;

/** Thrown to roll the transaction back. */
class LeaseLost extends Error {}

export function resendMethods(dependencies: TableDependencies) {
  const { engine, clock } = dependencies;
  const { dialect } = engine;
  const { advance } = jobScripts(dependencies);

  const IN_LIST = dialect.isIn('$1', 'bigint');
  const SETTLED = `id ${IN_LIST} and ${stateAllows('requeue')}`;
  const ENQUEUE = `insert into queue (${queue.list()})
    select id, event_seq, webhook_seq, created_at, cast($2 as bigint), fence + 1, attempts, 0, failed_at, state, cast($3 as bigint)
    from delivery where ${SETTLED}`;
  // A delivered one keeps its times.
  const REQUEUE = `update delivery set state = '${DELIVERY_TRANSITIONS.requeue.to}', is_failed = 0,
    settled_at = case when state = 'delivered' then settled_at end where ${SETTLED} returning id`;
  const RESEND_HELD = `update queue set due_at = $2, sent_while_inactive = 1, round_attempts = 0, fence = fence + 1,
    resend_of = case when resend_of = 'delivered' then resend_of else 'held' end
    where delivery_id ${IN_LIST} and ${IS_HELD} returning delivery_id`;

  /** Locks deliveries that meet a condition and returns their ids, so that they are not removed before they are sent again. */
  function lockDeliveries(condition: string, ...values: readonly Value[]): Script<readonly number[]> {
    return numbers(`select id from delivery where ${condition}${dialect.forUpdate}`, ...values);
  }

  /** Makes settled deliveries pending and due, also of an inactive webhook if asked to. They are locked by now. */
  function* requeueSettled(ids: readonly number[], whileInactive: boolean): Script<readonly number[]> {
    yield* unread(rows(ENQUEUE, JSON.stringify(ids), clock.now(), Number(whileInactive)));
    return yield* numbers(REQUEUE, JSON.stringify(ids));
  }

  function resendHeld(ids: readonly number[]): Script<readonly number[]> {
    return numbers(RESEND_HELD, JSON.stringify(ids), clock.now());
  }

  function* requeueFailed(number: number, query: ResendQuery, whileInactive: boolean): Script<ResendPage> {
    const { since, after, limit } = query;
    const found = `webhook_seq = $1 and is_failed = 1 and settled_at >= $2 and id > $3 order by id limit ${limit}`;
    const ids = yield* requeueSettled(yield* lockDeliveries(found, number, since, after), whileInactive);
    yield* rows('update webhook_ledger set failed = failed - $2 where webhook_seq = $1', number, ids.length);
    return { requeued: ids.length, after: Math.max(after, ...ids), isLast: ids.length < limit };
  }

  /** Looks at a bounded number of deliveries, because those that are asked for may come after many others. */
  function* requeueHeld(number: number, query: ResendQuery): Script<ResendPage> {
    const { since, after, limit, requestedAt } = query;
    const window = 'from queue where webhook_seq = $1 and delivery_id > $2 order by delivery_id';
    const found = yield* numbers(
      `select delivery_id from (select * ${window} limit ${WINDOW}) as seen
       where ${IS_SHOWN_AS_HELD} and created_at >= $3 and created_at <= $4 order by delivery_id limit ${limit}`,
      number,
      after,
      since,
      requestedAt,
    );
    const [end] = yield* numbers(`select delivery_id ${window} limit 1 offset ${WINDOW - 1}`, number, after);
    const ids = yield* resendHeld(found);
    const isFull = found.length === limit;
    const next = isFull ? found.at(-1) : end;
    return { requeued: ids.length, after: next ?? after, isLast: next === undefined };
  }

  function* requeue(query: ResendQuery): Script<ResendPage> {
    const number = yield* lockLedgerOf(dialect, query.webhook);
    if (number === undefined) return { ...NO_MORE, after: query.after };
    const [deactivatedAt] = yield* numbers(DEACTIVATED_AT, number);
    const isSameDeactivation = deactivatedAt !== undefined && deactivatedAt === query.deactivatedAt;
    if (query.state === 'failed') return yield* requeueFailed(number, query, isSameDeactivation);
    return isSameDeactivation ? yield* requeueHeld(number, query) : { ...NO_MORE, after: query.after };
  }

  return {
    redeliver: (webhook, number, by, decide) =>
      transaction(dependencies, { closedWhen: 'readOnly' }, function* () {
        const owner = yield* lockLedgerOf(dialect, webhook);
        // Locked by itself, because a select with joins would lock the webhook and the event too.
        yield* lockDeliveries('id = $1', number);
        const kept = yield* logged.first(DELIVERY_BY_ID, webhook, number);
        const found = kept === undefined ? undefined : deliveryOf(kept);
        const decision = decide(found);
        if (owner === undefined || kept === undefined || found === undefined) return;
        const settled = yield* requeueSettled([number], !kept.isActive);
        const requeued = settled.length > 0 || kept.isActive ? settled : yield* resendHeld([number]);
        if (requeued.length === 0) throw new Error(`delivery ${number} is ${found.state} and cannot be requeued`);
        const { state } = found;
        if (state === 'failed' || state === 'discarded')
          yield* rows(`update webhook_ledger set ${state} = ${state} - 1 where webhook_seq = $1`, owner);
        yield* recordDecision(by, clock.now(), decision);
      }),

    async countResendable({ webhook, state, since }) {
      const [count = 0] = await engine.read(numbers(COUNT[state], webhook, since));
      return count;
    },

    requeue: (lease, query, progressOf) =>
      transaction(dependencies, { closedWhen: 'never' }, function* (raise) {
        const page = yield* requeue(query);
        if ((yield* advance(lease, () => progressOf(page), raise)) === 'written') return page;
        throw new LeaseLost();
      }).catch((error: unknown) => {
        if (error instanceof LeaseLost) return 'lost' as const;
        throw error;
      }),
  } satisfies Partial<WebhookStore>;
}

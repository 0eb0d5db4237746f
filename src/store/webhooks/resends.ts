// Sends deliveries again on request: one at once, or some of all that failed or are held, as a step of a job.
import { DELIVERY_TRANSITIONS } from '../../model/deliveryState.ts';
import type { ResendPage, ResendQuery } from '../../webhooks/ports/resend.ts';
import type { WebhookStore } from '../../webhooks/ports/webhookStore.ts';
import type { Script } from '../engine/script.ts';
import { numbers, rows } from '../engine/script.ts';
import { jobScripts } from '../jobs/jobTables.ts';
import type { TableDependencies } from '../transaction.ts';
import { recordDecision, transaction } from '../transaction.ts';
import { DELIVERY_BY_ID, WINDOW, deliveryOf, logged } from './deliverySearch.ts';
import { WEBHOOK_NUMBER, isUnclaimed, lockDeliveries, lockLedgerOf, stateAllows } from './webhookTables.ts';

/** `$2` is when they are due, `$3` is 1 to send them while the webhook is inactive. A delivered one keeps its times. */
const REQUEUE = `update delivery set state = '${DELIVERY_TRANSITIONS.requeue.to}', due_at = $2, sent_while_inactive = $3,
  resend_of = case when state <> 'pending' then state when resend_of = 'delivered' then resend_of else 'held' end,
  settled_at = case when state = 'delivered' or resend_of = 'delivered' then settled_at end,
  round_attempts = 0, fence = fence + 1`;

/** Deliveries of an inactive webhook that wait for its activation: no attempt runs, and none was requested. */
const isHeld = (alias: string): string =>
  `${stateAllows('resendHeld')} and ${isUnclaimed(alias)} and sent_while_inactive = 0`;
/** A delivered one that is sent again is not shown as held. */
const isShownAsHeld = (alias: string): string => `${isHeld(alias)} and coalesce(resend_of, '') <> 'delivered'`;

/** (`due_at >= 0`: without it SQLite walks all deliveries of the webhook instead of using the index of pending ones.) */
const COUNT = {
  failed: `select count(*) from delivery where state = 'failed' and webhook_seq = (${WEBHOOK_NUMBER}) and settled_at >= $2`,
  held: `select count(*) from delivery where ${isShownAsHeld('delivery')} and webhook_seq = (${WEBHOOK_NUMBER}) and due_at >= 0
    and created_at >= $2 and exists (select 1 from webhook where id = $1 and active = 0)`,
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

  function* requeueFailed(number: number, query: ResendQuery, whileInactive: 0 | 1): Script<ResendPage> {
    const { since, after, limit } = query;
    const ids = yield* numbers(
      `${REQUEUE} where id in (select id from delivery where webhook_seq = $1 and state = 'failed'
         and settled_at >= $4 and id > $5 order by id limit ${limit}) returning id`,
      number,
      clock.now(),
      whileInactive,
      since,
      after,
    );
    yield* rows('update webhook_ledger set failed = failed - $2 where webhook_seq = $1', number, ids.length);
    return { requeued: ids.length, after: Math.max(after, ...ids), isLast: ids.length < limit };
  }

  /** Looks at a bounded number of deliveries, because those that are held may come after many that have ended. */
  function* requeueHeld(number: number, query: ResendQuery): Script<ResendPage> {
    const { since, after, limit, requestedAt } = query;
    const window = 'from delivery where webhook_seq = $1 and id > $2 order by id';
    const found = yield* numbers(
      `select id from (select * ${window} limit ${WINDOW}) as seen where ${isShownAsHeld('seen')}
         and created_at >= $3 and created_at <= $4 order by id limit ${limit}`,
      number,
      after,
      since,
      requestedAt,
    );
    const [end] = yield* numbers(`select id ${window} limit 1 offset ${WINDOW - 1}`, number, after);
    yield* lockDeliveries(dialect, `id ${dialect.isIn('$1', 'bigint')}`, JSON.stringify(found));
    const ids = yield* numbers(
      `${REQUEUE} where id ${dialect.isIn('$1', 'bigint')} and ${isHeld('delivery')} returning id`,
      JSON.stringify(found),
      clock.now(),
      1,
    );
    const isFull = found.length === limit;
    const next = isFull ? found.at(-1) : end;
    return { requeued: ids.length, after: next ?? after, isLast: next === undefined };
  }

  function* requeue(query: ResendQuery): Script<ResendPage> {
    const number = yield* lockLedgerOf(dialect, query.webhook);
    if (number === undefined) return { ...NO_MORE, after: query.after };
    const [deactivatedAt] = yield* numbers(DEACTIVATED_AT, number);
    const isSameDeactivation = deactivatedAt !== undefined && deactivatedAt === query.deactivatedAt;
    if (query.state === 'failed') return yield* requeueFailed(number, query, isSameDeactivation ? 1 : 0);
    return isSameDeactivation ? yield* requeueHeld(number, query) : { ...NO_MORE, after: query.after };
  }

  return {
    redeliver: (webhook, number, by, decide) =>
      transaction(dependencies, { closedWhen: 'readOnly' }, function* () {
        const owner = yield* lockLedgerOf(dialect, webhook);
        // Locked by itself, because a select with joins would lock the webhook and the event too.
        yield* lockDeliveries(dialect, 'id = $1', number);
        const kept = yield* logged.first(DELIVERY_BY_ID, webhook, number);
        const found = kept === undefined ? undefined : deliveryOf(kept);
        const decision = decide(found);
        if (owner === undefined || kept === undefined || found === undefined) return;
        const allowed = kept.isActive ? stateAllows('requeue') : `(${stateAllows('requeue')} or ${isHeld('delivery')})`;
        const requeued = yield* rows(
          `${REQUEUE} where id = $1 and ${allowed} returning id`,
          number,
          clock.now(),
          kept.isActive ? 0 : 1,
        );
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

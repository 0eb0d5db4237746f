// The delivery log and what people do with it: list, redeliver, requeue after a failure, discard.
import { DELIVERY_TRANSITIONS } from '../../model/deliveryState.ts';
import type { WebhookStore } from '../../webhooks/ports/webhookStore.ts';
import { codec, integer, text } from '../engine/codec.ts';
import type { Script } from '../engine/script.ts';
import { numbers, rows } from '../engine/script.ts';
import { jobScripts } from '../jobs/jobTables.ts';
import type { TableDependencies } from '../transaction.ts';
import { recordDecision, transaction } from '../transaction.ts';
import { DELIVERY_BY_ID, WEBHOOK_NUMBER, deliveryOf, logged, readEvent, searchDeliveries } from './deliverySearch.ts';
import { attempts, ledgerLock, stateAllows } from './webhookTables.ts';

const loggedWithBody = codec({ entry: logged, body: text('body') });
const shownAttempts = attempts.omit('delivery');
const failures = codec({ webhook: text('id'), at: integer('failed_at') });

/** A delivered one keeps the time when it was delivered. */
const REQUEUE = `update delivery set state = '${DELIVERY_TRANSITIONS.requeue.to}', resend_of = state, due_at = $2, round_attempts = 0,
  settled_at = case when state = 'delivered' then settled_at end, fence = fence + 1, owner = null`;

/** Ends resends of delivered deliveries that wait. They are delivered as before. */
const END_RESENDS = `update delivery set state = '${DELIVERY_TRANSITIONS.keep.to}', resend_of = null, owner = null, fence = fence + 1
  where webhook_seq = $1 and ${stateAllows('keep')} and resend_of = 'delivered' and (owner is null or due_at <= $2)
    and exists (select 1 from webhook where seq = $1 and active = 0)`;

/** Thrown to roll the transaction back. */
class LeaseLost extends Error {}

export function deliveryMethods(dependencies: TableDependencies) {
  const { engine, clock } = dependencies;
  const { forUpdate, skipLocked } = engine.dialect;
  const lockLedgers = ledgerLock(engine.dialect);
  const { advance } = jobScripts(dependencies);

  /** Locks the ledger of a webhook and returns its number; undefined when there is no such webhook. */
  function* lockLedgerOf(webhook: string): Script<number | undefined> {
    const [number] = yield* numbers(WEBHOOK_NUMBER, webhook);
    if (number !== undefined) yield* lockLedgers([number]);
    return number;
  }

  return {
    deliveries: (query) => searchDeliveries(engine, query),

    event: (scope, id) => engine.read(readEvent(scope, id)),

    async delivery(webhook, number) {
      const found = await engine.read(loggedWithBody.first(DELIVERY_BY_ID, webhook, number));
      if (found === undefined) return undefined;
      const made = shownAttempts.all(`${shownAttempts.select} where delivery_id = $1 order by number`, number);
      return { delivery: deliveryOf(found.entry), attempts: await engine.read(made), body: found.body };
    },

    redeliver: (webhook, number, by, decide) =>
      transaction(dependencies, { closedWhen: 'readOnly' }, function* () {
        const owner = yield* lockLedgerOf(webhook);
        // Locked by itself, because a select with joins would lock the webhook and the event too.
        yield* rows(`select id from delivery where id = $1${forUpdate}`, number);
        const kept = yield* logged.first(DELIVERY_BY_ID, webhook, number);
        const found = kept === undefined ? undefined : deliveryOf(kept);
        const decision = decide(found);
        if (owner === undefined || found === undefined) return;
        const requeued = yield* rows(
          `${REQUEUE} where id = $1 and ${stateAllows('requeue')} returning id`,
          number,
          clock.now(),
        );
        if (requeued.length === 0) throw new Error(`delivery ${number} is ${found.state} and cannot be requeued`);
        const { state } = found;
        if (state !== 'delivered')
          yield* rows(`update webhook_ledger set ${state} = ${state} - 1 where webhook_seq = $1`, owner);
        yield* recordDecision(by, clock.now(), decision);
      }),

    async countFailed(webhook, since) {
      const [failed = 0] = await engine.read(
        numbers(
          `select count(*) from delivery where state = 'failed' and webhook_seq = (${WEBHOOK_NUMBER}) and settled_at >= $2`,
          webhook,
          since,
        ),
      );
      return failed;
    },

    requeueFailed: (lease, { webhook, since, after, limit }, progressOf) =>
      transaction(dependencies, { closedWhen: 'never' }, function* (raise) {
        const number = (yield* lockLedgerOf(webhook)) ?? -1;
        const requeued = yield* numbers(
          `${REQUEUE} where id in (select id from delivery where webhook_seq = $1 and state = 'failed'
             and settled_at >= $3 and id > $4 order by id limit ${limit}) returning id`,
          number,
          clock.now(),
          since,
          after,
        );
        const ids = requeued.toSorted((a, b) => a - b);
        yield* rows('update webhook_ledger set failed = failed - $2 where webhook_seq = $1', number, ids.length);
        if ((yield* advance(lease, () => progressOf(ids), raise)) === 'written') return ids;
        throw new LeaseLost();
      }).catch((error: unknown) => {
        if (error instanceof LeaseLost) return 'lost' as const;
        throw error;
      }),

    discardPending: (webhook, limit) =>
      transaction(dependencies, { closedWhen: 'readOnly' }, function* () {
        const number = yield* lockLedgerOf(webhook);
        if (number === undefined) return 0;
        yield* rows(END_RESENDS, number, clock.now());
        // A delivery that is being sent is left alone, and so is everything once the webhook is active again.
        const discarded = yield* rows(
          `update delivery set state = '${DELIVERY_TRANSITIONS.discard.to}', settled_at = $2, owner = null,
             resend_of = null, fence = fence + 1 where id in (
               select id from delivery where webhook_seq = $1 and ${stateAllows('discard')}
                 and coalesce(resend_of, '') <> 'delivered' and (owner is null or due_at <= $2)
                 and exists (select 1 from webhook where seq = $1 and active = 0)
               order by due_at, id limit ${limit}${skipLocked})
           returning id`,
          number,
          clock.now(),
        );
        yield* rows(
          'update webhook_ledger set discarded = discarded + $2 where webhook_seq = $1',
          number,
          discarded.length,
        );
        return discarded.length;
      }),

    async failures(limit) {
      const latest = failures.all(
        `select w.id, d.failed_at from delivery d join webhook w on w.seq = d.webhook_seq
         where d.failed_at is not null and w.deleted_at is null order by d.failed_at desc limit ${limit}`,
      );
      return (await engine.read(latest)).toReversed();
    },
  } satisfies Partial<WebhookStore>;
}

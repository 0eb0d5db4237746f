import { MINUTE } from '../../foundation/clock.ts';
import type { WebhookStore } from '../../webhooks/ports/webhookStore.ts';
import type { Script } from '../engine/script.ts';
import { numbers, rows } from '../engine/script.ts';
import type { TableDependencies } from '../transaction.ts';
import { transaction } from '../transaction.ts';

function* removeRedeliveryJobs(endedBefore: number, limit: number): Script<void> {
  const old = `ended_at < $1 and kind in ('webhooks.redeliver', 'webhooks.redeliverHeld')`;
  yield* rows(`delete from job_entry where job_id in (select id from job where ${old} limit ${limit})`, endedBefore);
  yield* rows(
    `delete from job where ${old} and not exists (select 1 from job_entry where job_id = job.id)`,
    endedBefore,
  );
}

/** Removes settled deliveries, events and deleted webhooks, a bounded number with each call. */
export function retentionMethods(dependencies: TableDependencies) {
  const { engine, clock } = dependencies;
  const { isIn, skipLocked } = engine.dialect;
  const REMOVE_CLAIMS = `delete from claim where delivery_id ${isIn('$1', 'bigint')}`;
  const REMOVE_DELIVERIES = `delete from delivery where id ${isIn('$1', 'bigint')}`;
  const REMOVE_ATTEMPTS = `delete from attempt where delivery_id ${isIn('$1', 'bigint')}`;

  function* removeDeliveries(found: readonly number[]): Script<void> {
    const ids = JSON.stringify(found);
    // Claims first: this waits for a settlement of one of them that is under way and would add an attempt.
    yield* rows(REMOVE_CLAIMS, ids);
    yield* rows(REMOVE_DELIVERIES, ids);
    yield* rows(REMOVE_ATTEMPTS, ids);
  }

  /** Removes some deliveries of one deleted webhook, and the webhook with the last of them. Returns whether it found one. */
  function* removeDeletedWebhook(limit: number): Script<boolean> {
    // After a minute, every transaction that was accepting an event for it has ended.
    const [number] = yield* numbers('select seq from webhook where deleted_at < $1 limit 1', clock.now() - MINUTE);
    if (number === undefined) return false;
    const left = yield* numbers(`select id from delivery where webhook_seq = $1 limit ${limit}`, number);
    yield* removeDeliveries(left);
    if (left.length === limit) return true;
    yield* rows('delete from webhook_ledger where webhook_seq = $1', number);
    yield* rows('delete from webhook where seq = $1', number);
    return true;
  }

  return {
    prune: (settledBefore, limit) =>
      transaction(dependencies, { closedWhen: 'never' }, function* () {
        const hasDeleted = yield* removeDeletedWebhook(limit);
        const settled = yield* numbers(
          // Under lock, which skips a delivery that is being requeued at this moment.
          `select id from delivery where settled_at < $1 and state <> 'pending' order by settled_at limit ${limit}${skipLocked}`,
          settledBefore,
        );
        yield* removeDeliveries(settled);
        const events = yield* rows(
          `delete from event where seq in (select seq from event where at < $1
             and not exists (select 1 from delivery where event_seq = event.seq) order by at limit ${limit}) returning seq`,
          settledBefore,
        );
        yield* removeRedeliveryJobs(settledBefore, limit);
        return hasDeleted || settled.length === limit || events.length === limit;
      }),
  } satisfies Partial<WebhookStore>;
}

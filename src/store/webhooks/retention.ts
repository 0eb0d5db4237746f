import { HOUR, MINUTE } from '../../foundation/clock.ts';
import type { WebhookStore } from '../../webhooks/ports/webhookStore.ts';
import { codec, integer } from '../engine/codec.ts';
import type { Script } from '../engine/script.ts';
import { numbers, rows } from '../engine/script.ts';
import type { TableDependencies } from '../transaction.ts';
import { transaction } from '../transaction.ts';
import { IS_RESEND_JOB, deliveries, ledgerLock, seq } from './webhookTables.ts';

function* removeRedeliveryJobs(endedBefore: number, limit: number): Script<void> {
  const old = `ended_at < $1 and ${IS_RESEND_JOB}`;
  yield* rows(`delete from job_entry where job_id in (select id from job where ${old} limit ${limit})`, endedBefore);
  yield* rows(
    `delete from job where ${old} and not exists (select 1 from job_entry where job_id = job.id)`,
    endedBefore,
  );
}

/** How far the events have been looked at, by number, and since when. */
interface Walk {
  readonly through: number;
  readonly beganAt: number;
  /** Whether the last look found no more that are old enough. */
  readonly isOver: boolean;
}

const aged = codec({ number: seq, at: integer('at') });
const settled = deliveries.pick('id', 'event');

/** Removes settled deliveries, events and deleted webhooks, a bounded number with each call. */
export function retentionMethods(dependencies: TableDependencies) {
  const { engine, clock } = dependencies;
  const { isIn, skipLocked } = engine.dialect;
  const lockLedgers = ledgerLock(engine.dialect);
  const IN_LIST = isIn('$1', 'bigint');
  const REMOVE_DELIVERIES = ['queue where delivery_id', 'delivery where id', 'attempt where delivery_id'].map(
    (rowsOfDeliveries) => `delete from ${rowsOfDeliveries} ${IN_LIST}`,
  );
  const SETTLED = `select ${settled.list()} from delivery where event_seq > $1 and event_seq <= $2
    and settled_at < $3 and state <> 'pending' order by event_seq`;
  const REMOVE_EVENTS = `delete from event where seq > $1 and seq <= $2 and at < $3
    and not exists (select 1 from delivery where event_seq = event.seq)`;

  function* removeDeliveries(ids: readonly number[]): Script<void> {
    for (const remove of REMOVE_DELIVERIES) yield* rows(remove, JSON.stringify(ids));
  }

  /** Removes some deliveries of one deleted webhook, and the webhook with the last of them. Returns whether it found one. */
  function* removeDeletedWebhook(limit: number): Script<boolean> {
    // After a minute, every transaction that was accepting an event for it has ended.
    const [number] = yield* numbers('select seq from webhook where deleted_at < $1 limit 1', clock.now() - MINUTE);
    if (number === undefined) return false;
    // A settlement that is under way ends first, and a later one finds nothing.
    yield* lockLedgers([number]);
    const left = yield* numbers(`select id from delivery where webhook_seq = $1 limit ${limit}`, number);
    yield* removeDeliveries(left);
    if (left.length === limit) return true;
    yield* rows('delete from webhook_ledger where webhook_seq = $1', number);
    yield* rows('delete from webhook where seq = $1', number);
    return true;
  }

  /** Removes the settled deliveries of the next events that are old enough, and then the events that have no delivery left. */
  function* removeNext({ through, beganAt }: Walk, before: number, limit: number): Script<Walk> {
    const seen = yield* aged.all(`select seq, at from event where seq > $1 order by seq limit ${limit}`, through);
    // One that a wrong clock dated in the future does not end the walk.
    const last = seen.findLast(({ at }) => at < before || at > clock.now());
    if (last === undefined) return { through, beganAt, isOver: true };
    // Under lock, which skips a delivery that is being requeued at this moment.
    const found = yield* settled.all(`${SETTLED} limit ${limit}${skipLocked}`, through, last.number, before);
    yield* removeDeliveries(found.map(({ id }) => id));
    // The last event may have more deliveries than were found.
    const more = found.length < limit ? undefined : found.at(-1);
    const reached = more === undefined ? last.number : more.event - 1;
    yield* rows(REMOVE_EVENTS, through, reached, before);
    return { through: reached, beganAt, isOver: more === undefined && seen.length < limit };
  }

  const begin = (): Walk => ({ through: 0, beganAt: clock.now(), isOver: false });
  let walk = begin();

  return {
    async prune(settledBefore, limit) {
      const pruned = await transaction(dependencies, { closedWhen: 'never' }, function* () {
        const hasDeleted = yield* removeDeletedWebhook(limit);
        // What was passed over, because a delivery was pending, is looked at again.
        const isAgain = walk.isOver && (hasDeleted || Math.abs(clock.now() - walk.beganAt) >= HOUR);
        const next = yield* removeNext(isAgain ? begin() : walk, settledBefore, limit);
        if (next.isOver) yield* removeRedeliveryJobs(settledBefore, limit);
        return { hasDeleted, next };
      });
      // After the commit: what is rolled back is not passed over.
      walk = pruned.next;
      return pruned.hasDeleted || !walk.isOver;
    },
  } satisfies Partial<WebhookStore>;
}

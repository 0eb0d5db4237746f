import { HOUR, MINUTE } from '../../foundation/clock.ts';
import type { WebhookStore } from '../../webhooks/ports/webhookStore.ts';
import { codec, integer } from '../engine/codec.ts';
import type { Script } from '../engine/script.ts';
import { numbers, rows } from '../engine/script.ts';
import type { TableDependencies } from '../transaction.ts';
import { transaction } from '../transaction.ts';
import { ledgerLock } from './webhookTables.ts';

function* removeRedeliveryJobs(endedBefore: number, limit: number): Script<void> {
  const old = `ended_at < $1 and kind in ('webhooks.redeliver', 'webhooks.redeliverHeld')`;
  yield* rows(`delete from job_entry where job_id in (select id from job where ${old} limit ${limit})`, endedBefore);
  yield* rows(
    `delete from job where ${old} and not exists (select 1 from job_entry where job_id = job.id)`,
    endedBefore,
  );
}

/** How far the rows of a table have been looked at, by number, and since when. */
interface Walk {
  readonly through: number;
  readonly beganAt: number;
  /** Whether the last look found no more that are old enough. */
  readonly isOver: boolean;
}

const aged = codec({ number: integer('number'), at: integer('at') });
const BY_NUMBER = {
  delivery: 'select id as number, created_at as at from delivery where id > $1 order by id',
  event: 'select seq as number, at from event where seq > $1 order by seq',
};

/** Removes settled deliveries, events and deleted webhooks, a bounded number with each call. */
export function retentionMethods(dependencies: TableDependencies) {
  const { engine, clock } = dependencies;
  const { isIn, skipLocked } = engine.dialect;
  const lockLedgers = ledgerLock(engine.dialect);
  const IN_LIST = isIn('$1', 'bigint');
  const REMOVE_FROM_QUEUE = `delete from queue where delivery_id ${IN_LIST}`;
  const REMOVE_DELIVERIES = `delete from delivery where id ${IN_LIST} returning event_seq`;
  const REMOVE_ATTEMPTS = `delete from attempt where delivery_id ${IN_LIST}`;
  const REMOVE_EVENTS = `delete from event where seq ${IN_LIST} and at < $2
    and not exists (select 1 from delivery where event_seq = event.seq)`;

  function* removeEvents(found: readonly number[], before: number): Script<void> {
    yield* rows(REMOVE_EVENTS, JSON.stringify(found), before);
  }

  /** Removes deliveries, and their events with the last of them. */
  function* removeDeliveries(found: readonly number[], before: number): Script<void> {
    if (found.length === 0) return;
    const ids = JSON.stringify(found);
    yield* rows(REMOVE_FROM_QUEUE, ids);
    const events = yield* numbers(REMOVE_DELIVERIES, ids);
    yield* rows(REMOVE_ATTEMPTS, ids);
    yield* removeEvents(events, before);
  }

  /** Removes some deliveries of one deleted webhook, and the webhook with the last of them. Returns whether it found one. */
  function* removeDeletedWebhook(before: number, limit: number): Script<boolean> {
    // After a minute, every transaction that was accepting an event for it has ended.
    const [number] = yield* numbers('select seq from webhook where deleted_at < $1 limit 1', clock.now() - MINUTE);
    if (number === undefined) return false;
    // A settlement that is under way ends first, and a later one finds nothing.
    yield* lockLedgers([number]);
    const left = yield* numbers(`select id from delivery where webhook_seq = $1 limit ${limit}`, number);
    yield* removeDeliveries(left, before);
    if (left.length === limit) return true;
    yield* rows('delete from webhook_ledger where webhook_seq = $1', number);
    yield* rows('delete from webhook where seq = $1', number);
    return true;
  }

  function* removeSettled(found: readonly number[], before: number): Script<void> {
    const settled = yield* numbers(
      // Under lock, which skips a delivery that is being requeued at this moment.
      `select id from delivery where id ${IN_LIST} and settled_at < $2 and state <> 'pending'${skipLocked}`,
      JSON.stringify(found),
      before,
    );
    yield* removeDeliveries(settled, before);
  }

  const begin = (): Walk => ({ through: 0, beganAt: clock.now(), isOver: false });
  let walks = { delivery: begin(), event: begin() };

  /** The next rows that are old enough. What is passed over, because a delivery is pending, is looked at again after an hour. */
  function* nextOld(sql: string, last: Walk, before: number, limit: number) {
    const now = clock.now();
    const isAgain = last.isOver && Math.abs(now - last.beganAt) >= HOUR;
    const { through, beganAt } = isAgain ? begin() : last;
    const seen = yield* aged.all(`${sql} limit ${limit}`, through);
    // One that a wrong clock dated in the future does not end the walk.
    const found = seen.filter(({ at }) => at < before || at > now).map(({ number }) => number);
    const isOver = found.length === 0 || seen.length < limit;
    return { found, walk: { through: found.at(-1) ?? through, beganAt, isOver } };
  }

  return {
    async prune(settledBefore, limit) {
      const { hasDeleted: hadDeleted, ...reached } = await transaction(
        dependencies,
        { closedWhen: 'never' },
        function* () {
          const hasDeleted = yield* removeDeletedWebhook(settledBefore, limit);
          const deliveries = yield* nextOld(BY_NUMBER.delivery, walks.delivery, settledBefore, limit);
          yield* removeSettled(deliveries.found, settledBefore);
          if (!deliveries.walk.isOver) return { hasDeleted, delivery: deliveries.walk };
          const events = yield* nextOld(BY_NUMBER.event, walks.event, settledBefore, limit);
          yield* removeEvents(events.found, settledBefore);
          yield* removeRedeliveryJobs(settledBefore, limit);
          return { hasDeleted, delivery: deliveries.walk, event: events.walk };
        },
      );
      // After the commit: what is rolled back is not passed over.
      walks = { ...walks, ...reached };
      return hadDeleted || !walks.delivery.isOver || !walks.event.isOver;
    },
  } satisfies Partial<WebhookStore>;
}

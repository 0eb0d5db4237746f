import { MINUTE } from '../../foundation/clock.ts';
import type { Attempt, Delivery, DeliveryState, WebhookStore } from '../../webhooks/ports/webhookStore.ts';
import type { TableDependencies } from '../transaction.ts';
import { transaction, recordDecision } from '../transaction.ts';
import { lockLedgers } from './events.ts';
import { advance } from '../jobs/jobTables.ts';
import type { Row, Script } from '../engine/script.ts';
import { integer, optionalInteger, optionalText, row, rows, text } from '../engine/script.ts';

const DELIVERY = `select d.id, w.active, d.state, d.attempts, d.created_at, d.settled_at, d.due_at,
    e.id as message_id, e.event_id, e.event_type
  from delivery d join webhook w on w.seq = d.webhook_seq join event e on e.seq = d.event_seq`;
const NUMBER = 'select seq from webhook where id = $1';

function deliveryOf(found: Row): Delivery {
  const state = text(found, 'state') as DeliveryState;
  const isHeld = state === 'pending' && integer(found, 'active') === 0;
  return {
    id: integer(found, 'id'),
    isHeld,
    messageId: text(found, 'message_id'),
    eventId: optionalText(found, 'event_id'),
    eventType: text(found, 'event_type'),
    state,
    attempts: integer(found, 'attempts'),
    created: integer(found, 'created_at'),
    settledAt: optionalInteger(found, 'settled_at'),
    dueAt: state === 'pending' && !isHeld ? integer(found, 'due_at') : undefined,
  };
}

function attemptOf(found: Row): Attempt {
  return {
    number: integer(found, 'number'),
    at: integer(found, 'at'),
    durationMs: integer(found, 'duration_ms'),
    kind: text(found, 'kind') as Attempt['kind'],
    status: optionalInteger(found, 'status'),
    reason: text(found, 'reason'),
    answer: text(found, 'answer'),
  };
}

/** Thrown to take the transaction back. */
class LeaseLost extends Error {}

type Part = Pick<
  WebhookStore,
  'deliveries' | 'delivery' | 'redeliver' | 'countFailed' | 'requeueFailed' | 'discardPending' | 'failures' | 'prune'
>;

export function deliveryMethods(needs: TableDependencies): Part {
  const { engine, clock } = needs;
  const { each, forUpdate, skipLocked } = engine.dialect;

  /** With their attempts. `from` selects the ids. */
  function* remove(ids: readonly Row[]): Script<void> {
    const list = JSON.stringify(ids.map((one) => [integer(one, 'id')]));
    const chosen = `(select cast(value ->> 0 as bigint) from ${each('$1')})`;
    // The deliveries first: who settles one of them at this moment is waited for.
    yield* rows(`delete from delivery where id in ${chosen}`, list);
    yield* rows(`delete from attempt where delivery_id in ${chosen}`, list);
  }

  /** One webhook that was deleted: its deliveries bit by bit, then itself. Answers whether there is more to do. */
  function* removeDeleted(limit: number): Script<boolean> {
    // A while after: whoever was accepting an event for it at that moment has ended by then.
    const gone = yield* row('select seq from webhook where deleted_at < $1 limit 1', clock.now() - MINUTE);
    if (gone === undefined) return false;
    const number = integer(gone, 'seq');
    const ids = yield* rows(`select id from delivery where webhook_seq = $1 limit ${limit}`, number);
    yield* remove(ids);
    if (ids.length === limit) return true;
    yield* rows('delete from webhook_ledger where webhook_seq = $1', number);
    yield* rows('delete from webhook where seq = $1', number);
    return true;
  }

  return {
    async deliveries({ webhook, state, from, to, before, limit }) {
      const [found] = await engine.query(NUMBER, webhook);
      if (found === undefined) return [];
      const values: (string | number)[] = [integer(found, 'seq')];
      const bound = (value: string | number): string => `$${values.push(value)}`;
      const conditions = [
        'd.webhook_seq = $1',
        // Written out, because the indexes of failed and of pending ones are found by it.
        ...(state === undefined ? [] : [`d.state = '${state}'`]),
        ...(from === undefined ? [] : [`d.created_at >= ${bound(from)}`]),
        ...(to === undefined ? [] : [`d.created_at < ${bound(to)}`]),
        ...(before === undefined ? [] : [`d.id < ${bound(before)}`]),
      ];
      const page = await engine.query(
        `${DELIVERY} where ${conditions.join(' and ')} order by d.id desc limit ${limit}`,
        ...values,
      );
      return page.map(deliveryOf);
    },

    async delivery(webhook, id) {
      const [found] = await engine.query(`${DELIVERY} where d.id = $2 and w.id = $1`, webhook, id);
      const [event] = await engine.query(
        'select e.body from event e join delivery d on d.event_seq = e.seq where d.id = $1',
        id,
      );
      if (found === undefined || event === undefined) return undefined;
      const attempts = await engine.query(
        'select number, at, duration_ms, kind, status, reason, answer from attempt where delivery_id = $1 order by number',
        id,
      );
      return { delivery: deliveryOf(found), attempts: attempts.map(attemptOf), body: text(event, 'body') };
    },

    redeliver: (webhook, id, by, decide) =>
      transaction(needs, { closedWhen: 'readOnly' }, function* () {
        const owner = yield* row(NUMBER, webhook);
        if (owner !== undefined) yield* lockLedgers(engine.dialect, JSON.stringify([[integer(owner, 'seq')]]));
        // Under its lock first; a select with joins would lock the webhook and the event too.
        yield* rows(`select id from delivery where id = $1${forUpdate}`, id);
        const kept = yield* row(`${DELIVERY} where d.id = $2 and w.id = $1`, webhook, id);
        const found = kept === undefined ? undefined : deliveryOf(kept);
        const decision = decide(found);
        if (owner === undefined || found === undefined) return;
        yield* rows(
          `update delivery set state = 'pending', due_at = $2, round_attempts = 0, settled_at = null, fence = fence + 1,
             owner = null where id = $1`,
          id,
          clock.now(),
        );
        const column = found.state === 'pending' ? undefined : found.state;
        if (column !== undefined)
          yield* rows(
            `update webhook_ledger set ${column} = ${column} - 1 where webhook_seq = $1`,
            integer(owner, 'seq'),
          );
        yield* recordDecision(by, clock.now(), decision);
      }),

    async countFailed(webhook, since) {
      const [found] = await engine.query(
        `select count(*) as n from delivery where state = 'failed' and webhook_seq = (${NUMBER}) and settled_at >= $2`,
        webhook,
        since,
      );
      return found === undefined ? 0 : integer(found, 'n');
    },

    requeueFailed: (lease, { webhook, since, after, limit }, progressOf) =>
      transaction(needs, { closedWhen: 'never' }, function* (raise) {
        const owner = yield* row(NUMBER, webhook);
        const number = owner === undefined ? -1 : integer(owner, 'seq');
        yield* lockLedgers(engine.dialect, JSON.stringify([[number]]));
        const again = yield* rows(
          `update delivery set state = 'pending', due_at = $4, round_attempts = 0, settled_at = null, fence = fence + 1
           where id in (select id from delivery where webhook_seq = $1 and state = 'failed' and settled_at >= $2 and id > $3
             order by id limit ${limit}) returning id`,
          number,
          since,
          after,
          clock.now(),
        );
        const ids = again.map((one) => integer(one, 'id')).toSorted((a, b) => a - b);
        yield* rows('update webhook_ledger set failed = failed - $2 where webhook_seq = $1', number, ids.length);
        if ((yield* advance(lease, progressOf(ids), clock.now(), raise)) === 'written') return ids;
        throw new LeaseLost();
      }).catch((error: unknown) => {
        if (error instanceof LeaseLost) return 'lost' as const;
        throw error;
      }),

    discardPending: (webhook, limit) =>
      transaction(needs, { closedWhen: 'readOnly' }, function* () {
        const owner = yield* row(NUMBER, webhook);
        if (owner === undefined) return 0;
        const number = integer(owner, 'seq');
        yield* lockLedgers(engine.dialect, JSON.stringify([[number]]));
        // One that is under way is left to end as it will; and one that was activated meanwhile has nothing to discard.
        const discarded = yield* rows(
          `update delivery set state = 'discarded', settled_at = $2, owner = null, fence = fence + 1 where id in (
             select id from delivery where webhook_seq = $1 and state = 'pending' and (owner is null or due_at <= $2)
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
      const found = await engine.query(
        `select w.id, d.failed_at from delivery d join webhook w on w.seq = d.webhook_seq
         where d.failed_at is not null and w.deleted_at is null order by d.failed_at desc limit ${limit}`,
      );
      return found.map((one) => ({ webhook: text(one, 'id'), at: integer(one, 'failed_at') })).toReversed();
    },

    prune: (settledBefore, limit) =>
      transaction(needs, { closedWhen: 'never' }, function* () {
        const isBusy = yield* removeDeleted(limit);
        const ids = yield* rows(
          // Under lock, and looked at once more: one that is being sent again just now is left alone.
          `select id from delivery where settled_at < $1 order by settled_at limit ${limit}${skipLocked}`,
          settledBefore,
        );
        yield* remove(ids);
        const events = yield* rows(
          `delete from event where seq in (select seq from event where at < $1
             and not exists (select 1 from delivery where event_seq = event.seq) order by at limit ${limit}) returning seq`,
          settledBefore,
        );
        const old = `ended_at < $1 and kind = 'webhooks.redeliver'`;
        yield* rows(
          `delete from job_entry where job_id in (select id from job where ${old} limit ${limit})`,
          settledBefore,
        );
        yield* rows(
          `delete from job where ${old} and not exists (select 1 from job_entry where job_id = job.id)`,
          settledBefore,
        );
        return isBusy || ids.length === limit || events.length === limit;
      }),
  };
}

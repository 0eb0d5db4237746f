// The delivery log and what people do with it: list, redeliver, requeue after a failure, discard.
import { DELIVERY_TRANSITIONS } from '../../model/deliveryState.ts';
import type { Delivery, DeliveryQuery, WebhookStore } from '../../webhooks/ports/webhookStore.ts';
import { codec, flag, integer, text } from '../engine/codec.ts';
import type { Row, Script } from '../engine/script.ts';
import { row, rows } from '../engine/script.ts';
import { jobScripts } from '../jobs/jobTables.ts';
import type { TableDependencies } from '../transaction.ts';
import { recordDecision, transaction } from '../transaction.ts';
import { ledgerLock } from './ledgerLock.ts';
import { attempts, deliveries, events, stateAllows, seq } from './webhookTables.ts';

const logged = deliveries.pick('id', 'state', 'dueAt', 'attempts', 'created', 'settledAt');
const loggedEvents = events.pick('eventId', 'type');
const messageId = text('message_id');
const isActive = flag('active');
const DELIVERY = `select ${logged.list('d')}, ${loggedEvents.list('e')}, e.id as message_id, w.active
  from delivery d join webhook w on w.seq = d.webhook_seq join event e on e.seq = d.event_seq`;
const DELIVERY_BY_ID = `${DELIVERY} where w.id = $1 and d.id = $2`;

const shownAttempts = attempts.omit('delivery');
const WEBHOOK_NUMBER = 'select seq from webhook where id = $1';
const id = integer('id');
const count = integer('n');
const failures = codec({ webhook: text('id'), at: integer('failed_at') });

const REQUEUE = `update delivery set state = '${DELIVERY_TRANSITIONS.requeue.to}', due_at = $2, round_attempts = 0,
  settled_at = null, fence = fence + 1, owner = null`;

function deliveryOf(found: Row): Delivery {
  const { id: number, state, dueAt, attempts: made, created, settledAt } = logged.read(found);
  const { eventId, type } = loggedEvents.read(found);
  const isHeld = state === 'pending' && !isActive.read(found);
  return {
    id: number,
    isHeld,
    messageId: messageId.read(found),
    eventId,
    eventType: type,
    state,
    attempts: made,
    created,
    settledAt,
    dueAt: state === 'pending' && !isHeld ? dueAt : undefined,
  };
}

/** The text differs by which conditions there are, so each combination is prepared once. */
function listStatement(number: number, { state, from, to, before, limit }: DeliveryQuery) {
  const values: (string | number)[] = [number];
  const bound = (value: number): string => `$${values.push(value)}`;
  const conditions = [
    'd.webhook_seq = $1',
    // A literal, because the partial indexes of failed and of pending deliveries need it.
    ...(state === undefined ? [] : [`d.state = '${state}'`]),
    ...(from === undefined ? [] : [`d.created_at >= ${bound(from)}`]),
    ...(to === undefined ? [] : [`d.created_at < ${bound(to)}`]),
    ...(before === undefined ? [] : [`d.id < ${bound(before)}`]),
  ];
  return { sql: `${DELIVERY} where ${conditions.join(' and ')} order by d.id desc limit ${limit}`, values };
}

/** Thrown to roll the transaction back. */
class LeaseLost extends Error {}

type DeliveryMethods =
  | 'deliveries'
  | 'delivery'
  | 'redeliver'
  | 'countFailed'
  | 'requeueFailed'
  | 'discardPending'
  | 'failures';

export function deliveryMethods(dependencies: TableDependencies): Pick<WebhookStore, DeliveryMethods> {
  const { engine, clock } = dependencies;
  const { forUpdate, skipLocked } = engine.dialect;
  const lockLedgers = ledgerLock(engine.dialect);
  const { advance } = jobScripts(engine.dialect);

  /** Locks the ledger of a webhook and returns its number; undefined when there is no such webhook. */
  function* lockLedgerOf(webhook: string): Script<number | undefined> {
    const found = yield* row(WEBHOOK_NUMBER, webhook);
    if (found === undefined) return undefined;
    const number = seq.read(found);
    yield* lockLedgers([number]);
    return number;
  }

  return {
    async deliveries(query) {
      const [found] = await engine.query(WEBHOOK_NUMBER, query.webhook);
      if (found === undefined) return [];
      const { sql, values } = listStatement(seq.read(found), query);
      return (await engine.query(sql, ...values)).map(deliveryOf);
    },

    async delivery(webhook, number) {
      const [found] = await engine.query(DELIVERY_BY_ID, webhook, number);
      const [event] = await engine.query(
        'select e.body from event e join delivery d on d.event_seq = e.seq where d.id = $1',
        number,
      );
      if (found === undefined || event === undefined) return undefined;
      const made = await engine.query(`${shownAttempts.select} where delivery_id = $1 order by number`, number);
      return {
        delivery: deliveryOf(found),
        attempts: shownAttempts.readAll(made),
        body: text('body').read(event),
      };
    },

    redeliver: (webhook, number, by, decide) =>
      transaction(dependencies, { closedWhen: 'readOnly' }, function* () {
        const owner = yield* lockLedgerOf(webhook);
        // Locked by itself, because a select with joins would lock the webhook and the event too.
        yield* rows(`select id from delivery where id = $1${forUpdate}`, number);
        const kept = yield* row(DELIVERY_BY_ID, webhook, number);
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
        yield* rows(`update webhook_ledger set ${state} = ${state} - 1 where webhook_seq = $1`, owner);
        yield* recordDecision(by, clock.now(), decision);
      }),

    async countFailed(webhook, since) {
      const [found] = await engine.query(
        `select count(*) as n from delivery where state = 'failed' and webhook_seq = (${WEBHOOK_NUMBER}) and settled_at >= $2`,
        webhook,
        since,
      );
      return found === undefined ? 0 : count.read(found);
    },

    requeueFailed: (lease, { webhook, since, after, limit }, progressOf) =>
      transaction(dependencies, { closedWhen: 'never' }, function* (raise) {
        const number = (yield* lockLedgerOf(webhook)) ?? -1;
        const requeued = yield* rows(
          `${REQUEUE} where id in (select id from delivery where webhook_seq = $1 and state = 'failed'
             and settled_at >= $3 and id > $4 order by id limit ${limit}) returning id`,
          number,
          clock.now(),
          since,
          after,
        );
        const ids = requeued.map((one) => id.read(one)).toSorted((a, b) => a - b);
        yield* rows('update webhook_ledger set failed = failed - $2 where webhook_seq = $1', number, ids.length);
        if ((yield* advance(lease, () => progressOf(ids), clock.now(), raise)) === 'written') return ids;
        throw new LeaseLost();
      }).catch((error: unknown) => {
        if (error instanceof LeaseLost) return 'lost' as const;
        throw error;
      }),

    discardPending: (webhook, limit) =>
      transaction(dependencies, { closedWhen: 'readOnly' }, function* () {
        const number = yield* lockLedgerOf(webhook);
        if (number === undefined) return 0;
        // A delivery that is being sent is left alone, and so is everything once the webhook is active again.
        const discarded = yield* rows(
          `update delivery set state = '${DELIVERY_TRANSITIONS.discard.to}', settled_at = $2, owner = null,
             fence = fence + 1 where id in (
               select id from delivery where webhook_seq = $1 and ${stateAllows('discard')} and (owner is null or due_at <= $2)
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
      const latest = await engine.query(
        `select w.id, d.failed_at from delivery d join webhook w on w.seq = d.webhook_seq
         where d.failed_at is not null and w.deleted_at is null order by d.failed_at desc limit ${limit}`,
      );
      return failures.readAll(latest).toReversed();
    },
  };
}

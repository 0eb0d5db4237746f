// Writes events and their deliveries, in batches of any scopes: finds events that were accepted before, numbers the new
// ones per scope, and inserts a delivery for every webhook of an event's audience.
import { scopeKey } from '../../model/serviceKey.ts';
import type { Scope } from '../../model/serviceKey.ts';
import type {
  AcceptRules,
  Acceptance,
  AcceptedEvent,
  EventConflict,
  NewEvent,
  RequestResult,
  Subscriber,
} from '../../webhooks/ports/acceptance.ts';
import type { Clock } from '../../foundation/clock.ts';
import { codec, integer, text } from '../engine/codec.ts';
import { readEpoch } from '../epoch.ts';
import type { Dialect } from '../engine/dialect.ts';
import type { Script } from '../engine/script.ts';
import { rows, unread } from '../engine/script.ts';
import { deliveries, eventSequences, events, ledgerLock, numberedLedgers } from './webhookTables.ts';

type BodyOf = AcceptRules['bodyOf'];

/** The new events, by id. */
type Written = ReadonlyMap<string, { readonly number: number; readonly sequence: number }>;

/** An event with a sender id that was accepted before, or earlier in this batch. */
interface KnownEvent {
  readonly id: string;
  readonly at: number;
  /** The one of this batch that has the sender id first. A repeat has the same id. */
  readonly event?: NewEvent;
  isSameAs(event: NewEvent): boolean;
}

interface StoredEvent extends KnownEvent, Result {}

/** What the answer says of an event; a repeat gets the result of the first request. */
interface Result {
  readonly sequence: number;
  readonly deliveries: number;
}

/** By `repeatKey`. */
type KnownEvents = Map<string, KnownEvent>;

type NewDelivery = { readonly event: number; readonly webhook: number };

const senderIds = events.pick('scope', 'eventId');
const knownEvents = events.pick('id', 'scope', 'eventId', 'sequence', 'at', 'body');
const storedEvents = codec({ event: knownEvents, deliveries: integer('deliveries') });
const insertedEvents = codec({ number: integer('seq'), id: text('id') });
const newDeliveries = deliveries.pick('event', 'webhook');
const acceptedCounts = numberedLedgers.pick('webhook', 'accepted');

function repeatKey(scope: Scope, eventId: string): string {
  return `${scopeKey(scope)} ${eventId}`;
}

function sameEvent(one: NewEvent, other: NewEvent): boolean {
  return one.type === other.type && one.payload === other.payload;
}

/** Finds the first event of a request whose sender id belongs to another event. Adds the request's own events to `known`. */
function conflictIn(request: readonly NewEvent[], known: KnownEvents): EventConflict | undefined {
  const added: string[] = [];
  for (const [entry, event] of request.entries()) {
    const { scope, eventId, id, at } = event;
    if (eventId === undefined) continue;
    const key = repeatKey(scope, eventId);
    const before = known.get(key);
    if (before === undefined) {
      known.set(key, { id, at, event, isSameAs: (other) => sameEvent(event, other) });
      added.push(key);
    } else if (!before.isSameAs(event)) {
      for (const own of added) known.delete(own);
      return { entry, eventId, first: added.includes(key) ? undefined : { id: before.id, at: before.at } };
    }
  }
  return undefined;
}

/** Creates the script that accepts events. */
export function createAccept(dialect: Dialect, clock: Clock) {
  const lockLedgers = ledgerLock(dialect);
  const insertEvents = events.batchInserter(dialect, `returning ${insertedEvents.list()}`);
  const takeSequences = eventSequences.batchInserter(
    dialect,
    `on conflict (folder, name, type) do update set n = event_sequence.n + excluded.n returning ${eventSequences.list()}`,
  );
  const FIND_KNOWN = `select ${knownEvents.list('e')},
      (select count(*) from delivery d where d.event_seq = e.seq) as deliveries from ${senderIds.relation(dialect, '$1')} join event e
      on e.folder = item.folder and e.name = item.name and e.type = item.type and e.event_id = item.event_id
    where e.event_id is not null`;
  const INSERT_DELIVERIES = `insert into delivery
      (${newDeliveries.list()}, state, fence, attempts, created_at)
    select ${newDeliveries.list('item')}, 'pending', 0, 0, cast($2 as bigint) from ${newDeliveries.relation(dialect, '$1')}`;
  const ENQUEUE = `insert into queue (delivery_id, ${newDeliveries.list()}, created_at, due_at, fence, attempts, round_attempts)
    select id, ${newDeliveries.list()}, created_at, created_at, 0, 0, 0 from delivery where event_seq ${dialect.isIn('$1', 'bigint')}`;
  const COUNT_ACCEPTED = `update webhook_ledger set accepted = webhook_ledger.accepted + item.accepted
    from ${acceptedCounts.relation(dialect, '$1')} where webhook_ledger.webhook_seq = item.webhook_seq`;

  function* findKnown(batch: readonly NewEvent[], bodyOf: BodyOf): Script<Map<string, StoredEvent>> {
    const named = batch.filter(({ eventId }) => eventId !== undefined);
    const found = named.length === 0 ? [] : yield* storedEvents.all(FIND_KNOWN, senderIds.batch(dialect, named));
    return new Map(
      found.map(({ event: { id, scope, eventId, sequence, at, body }, deliveries: count }) => [
        repeatKey(scope, eventId ?? ''),
        // The body holds type and payload as they were sent, so an equal body is an equal event.
        { id, at, sequence, deliveries: count, isSameAs: (event) => bodyOf({ ...event, at }, sequence) === body },
      ]),
    );
  }

  /**
   * Reserves sequence numbers and returns the first of each scope, by `scopeKey`. Sorted, so that writers cannot deadlock. A scope that
   * has none yet begins after the epoch.
   */
  function* reserveSequences(batch: readonly NewEvent[]): Script<Map<string, number>> {
    const counts = new Map<string, { scope: Scope; n: number }>();
    for (const { scope } of batch) {
      const key = scopeKey(scope);
      const count = counts.get(key);
      if (count === undefined) counts.set(key, { scope, n: 1 });
      else count.n += 1;
    }
    const sorted = [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, count]) => count);
    const taken = [...eventSequences.readAll(yield* takeSequences(sorted))];
    const begun = taken.filter(({ scope, n }) => n === counts.get(scopeKey(scope))?.n);
    const epoch = begun.length === 0 ? 0 : yield* readEpoch();
    const raised = epoch === 0 ? [] : yield* takeSequences(begun.map(({ scope }) => ({ scope, n: epoch })));
    taken.push(...eventSequences.readAll(raised));
    return new Map(
      taken.map(({ scope, n }) => {
        const key = scopeKey(scope);
        return [key, n - (counts.get(key)?.n ?? 0) + 1];
      }),
    );
  }

  function* writeEvents(fresh: readonly NewEvent[], bodyOf: BodyOf): Script<Written> {
    if (fresh.length === 0) return new Map();
    const next = yield* reserveSequences(fresh);
    const sequences = new Map<string, number>();
    const records = fresh.map((event) => {
      const { id, scope, eventId, type, at } = event;
      const key = scopeKey(scope);
      const sequence = next.get(key) ?? 0;
      next.set(key, sequence + 1);
      sequences.set(id, sequence);
      // Spelled out: with a spread, building the records takes longer than writing them to JSON.
      return { id, scope, eventId, type, at, sequence, body: bodyOf(event, sequence) };
    });
    const inserted = insertedEvents.readAll(yield* insertEvents(records));
    return new Map(inserted.map(({ id, number }) => [id, { number, sequence: sequences.get(id) ?? 0 }]));
  }

  /** Inserts deliveries and counts them in the ledgers. Returns the webhooks that have a new delivery. */
  function* writeDeliveries(made: readonly NewDelivery[]): Script<readonly number[]> {
    if (made.length === 0) return [];
    yield* unread(rows(INSERT_DELIVERIES, newDeliveries.batch(dialect, made), clock.now()));
    const madeOf = new Set(made.map(({ event }) => event));
    yield* unread(rows(ENQUEUE, JSON.stringify([...madeOf])));
    const counts = new Map<number, number>();
    for (const { webhook } of made) counts.set(webhook, (counts.get(webhook) ?? 0) + 1);
    yield* lockLedgers(counts.keys());
    const changes = [...counts].map(([webhook, accepted]) => ({ webhook, accepted }));
    yield* unread(rows(COUNT_ACCEPTED, acceptedCounts.batch(dialect, changes)));
    return [...counts.keys()];
  }

  return function* accept(
    requests: readonly (readonly NewEvent[])[],
    bodyOf: BodyOf,
    audience: (event: NewEvent) => readonly Subscriber[],
  ): Script<Acceptance> {
    const stored = yield* findKnown(requests.flat(), bodyOf);
    const known: KnownEvents = new Map(stored);
    const conflicts = requests.map((request) => conflictIn(request, known));
    const isNew = (event: NewEvent): boolean =>
      event.eventId === undefined || known.get(repeatKey(event.scope, event.eventId))?.event === event;
    const accepted = requests.filter((_, n) => conflicts[n] === undefined).flat();
    const written = yield* writeEvents(accepted.filter(isNew), bodyOf);
    const made: NewDelivery[] = [];
    /** The results of this batch, by event id: a repeat may follow its first request in the same batch. */
    const told = new Map<string, Result>();

    function resultOf(event: NewEvent): AcceptedEvent {
      const { id, scope, eventId } = event;
      const fresh = isNew(event) ? written.get(id) : undefined;
      if (fresh === undefined) {
        const key = repeatKey(scope, eventId ?? '');
        const first = known.get(key)?.id ?? '';
        const { sequence, deliveries: count } = stored.get(key) ?? told.get(first) ?? { sequence: 0, deliveries: 0 };
        return { id: first, eventId, sequence, deliveries: count, isRepeat: true };
      }
      const to = audience(event);
      for (const { number } of to) made.push({ event: fresh.number, webhook: number });
      const result = { sequence: fresh.sequence, deliveries: to.length };
      if (eventId !== undefined) told.set(id, result);
      return { id, eventId, ...result, isRepeat: false };
    }

    const results = requests.map((request, n): RequestResult => {
      const conflict = conflicts[n];
      return conflict === undefined
        ? { kind: 'accepted', events: request.map(resultOf) }
        : { kind: 'conflict', conflict };
    });
    return { results, dueWebhooks: yield* writeDeliveries(made) };
  };
}

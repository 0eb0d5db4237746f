// Writes events and their deliveries, in batches of any scopes: finds events that were accepted before, numbers the new
// ones per scope, and inserts a delivery for every webhook of an event's audience.
import { scopeKey } from '../../model/serviceKey.ts';
import type { Scope } from '../../model/serviceKey.ts';
import type { AcceptRules, Acceptance, AcceptedEvent, NewEvent, Subscriber } from '../../webhooks/ports/acceptance.ts';
import type { Clock } from '../../foundation/clock.ts';
import { codec, integer, text } from '../engine/codec.ts';
import type { Dialect } from '../engine/dialect.ts';
import type { Script } from '../engine/script.ts';
import { rows } from '../engine/script.ts';
import { deliveries, eventSequences, events, ledgerLock, numberedLedgers } from './webhookTables.ts';

type BodyOf = AcceptRules['bodyOf'];

interface Written {
  /** The new events, by id. */
  readonly fresh: ReadonlyMap<string, { readonly number: number; readonly sequence: number }>;
  /** Events that were accepted before or occur earlier in this batch, by `repeatKey`. */
  readonly known: ReadonlyMap<string, AcceptedEvent>;
}

type NewDelivery = { readonly event: number; readonly webhook: number };

const senderIds = events.pick('scope', 'eventId');
const knownEvents = events.pick('id', 'scope', 'eventId', 'sequence');
const insertedEvents = codec({ number: integer('seq'), id: text('id') });
const newDeliveries = deliveries.pick('event', 'webhook');
const acceptedCounts = numberedLedgers.pick('webhook', 'accepted');

function repeatKey(scope: Scope, eventId: string): string {
  return `${scopeKey(scope)} ${eventId}`;
}

/** Drops events whose sender id is known or occurs earlier in the batch. */
function withoutRepeats(batch: readonly NewEvent[], known: ReadonlyMap<string, unknown>): readonly NewEvent[] {
  const seen = new Set(known.keys());
  return batch.filter(({ scope, eventId }) => {
    if (eventId === undefined) return true;
    const key = repeatKey(scope, eventId);
    return seen.has(key) ? false : seen.add(key);
  });
}

/** Creates the script that accepts events. */
export function createAccept(dialect: Dialect, clock: Clock) {
  const lockLedgers = ledgerLock(dialect);
  const insertEvents = events.batchInserter(dialect, `returning ${insertedEvents.list()}`);
  const takeSequences = eventSequences.batchInserter(
    dialect,
    `on conflict (folder, name, type) do update set n = event_sequence.n + excluded.n returning ${eventSequences.list()}`,
  );
  const FIND_KNOWN = `select ${knownEvents.list('e')} from ${senderIds.relation(dialect, '$1')} join event e
      on e.folder = item.folder and e.name = item.name and e.type = item.type and e.event_id = item.event_id
    where e.event_id is not null`;
  const INSERT_DELIVERIES = `insert into delivery
      (${newDeliveries.list()}, state, due_at, fence, attempts, round_attempts, created_at)
    select ${newDeliveries.list('item')}, 'pending', cast($2 as bigint), 0, 0, 0, cast($2 as bigint)
    from ${newDeliveries.relation(dialect, '$1')}`;
  const COUNT_ACCEPTED = `update webhook_ledger set accepted = webhook_ledger.accepted + item.accepted
    from ${acceptedCounts.relation(dialect, '$1')} where webhook_ledger.webhook_seq = item.webhook_seq`;

  function* findKnown(batch: readonly NewEvent[]): Script<Map<string, AcceptedEvent>> {
    const named = batch.filter(({ eventId }) => eventId !== undefined);
    const found = named.length === 0 ? [] : yield* knownEvents.all(FIND_KNOWN, senderIds.batch(named));
    return new Map(
      found.map(({ id, scope, eventId, sequence }) => [
        repeatKey(scope, eventId ?? ''),
        { id, eventId, sequence, deliveries: 0, isRepeat: true },
      ]),
    );
  }

  /** Reserves sequence numbers and returns the first of each scope, by `scopeKey`. Sorted, so that writers cannot deadlock. */
  function* reserveSequences(batch: readonly NewEvent[]): Script<Map<string, number>> {
    const counts = new Map<string, { scope: Scope; n: number }>();
    for (const { scope } of batch) {
      const key = scopeKey(scope);
      const count = counts.get(key);
      if (count === undefined) counts.set(key, { scope, n: 1 });
      else count.n += 1;
    }
    const sorted = [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, count]) => count);
    const taken = eventSequences.readAll(yield* takeSequences(sorted));
    return new Map(
      taken.map(({ scope, n }) => {
        const key = scopeKey(scope);
        return [key, n - (counts.get(key)?.n ?? 0) + 1];
      }),
    );
  }

  function* writeEvents(batch: readonly NewEvent[], bodyOf: BodyOf): Script<Written> {
    const known = yield* findKnown(batch);
    const fresh = withoutRepeats(batch, known);
    if (fresh.length === 0) return { fresh: new Map(), known };
    const next = yield* reserveSequences(fresh);
    const sequences = new Map<string, number>();
    const records = fresh.map((event) => {
      const { id, scope, eventId, type, at } = event;
      const key = scopeKey(scope);
      const sequence = next.get(key) ?? 0;
      next.set(key, sequence + 1);
      sequences.set(id, sequence);
      if (eventId !== undefined)
        known.set(repeatKey(scope, eventId), { id, eventId, sequence, deliveries: 0, isRepeat: true });
      // Spelled out: with a spread, building the records takes longer than writing them to JSON.
      return { id, scope, eventId, type, at, sequence, body: bodyOf(event, sequence) };
    });
    const inserted = insertedEvents.readAll(yield* insertEvents(records));
    return {
      fresh: new Map(inserted.map(({ id, number }) => [id, { number, sequence: sequences.get(id) ?? 0 }])),
      known,
    };
  }

  /** Inserts deliveries and counts them in the ledgers. Returns the webhooks that have a new delivery. */
  function* writeDeliveries(made: readonly NewDelivery[]): Script<readonly number[]> {
    if (made.length === 0) return [];
    yield* rows(INSERT_DELIVERIES, newDeliveries.batch(made), clock.now());
    const counts = new Map<number, number>();
    for (const { webhook } of made) counts.set(webhook, (counts.get(webhook) ?? 0) + 1);
    yield* lockLedgers(counts.keys());
    yield* rows(
      COUNT_ACCEPTED,
      acceptedCounts.batch([...counts].map(([webhook, accepted]) => ({ webhook, accepted }))),
    );
    return [...counts.keys()];
  }

  return function* accept(
    batch: readonly NewEvent[],
    bodyOf: BodyOf,
    audience: (event: NewEvent) => readonly Subscriber[],
  ): Script<Acceptance> {
    const { fresh, known } = yield* writeEvents(batch, bodyOf);
    const made: NewDelivery[] = [];
    const accepted = batch.flatMap((event): readonly AcceptedEvent[] => {
      const { id, scope, eventId } = event;
      const written = fresh.get(id);
      if (written === undefined) {
        const before = eventId === undefined ? undefined : known.get(repeatKey(scope, eventId));
        return before === undefined ? [] : [before];
      }
      const to = audience(event);
      for (const { number } of to) made.push({ event: written.number, webhook: number });
      return [{ id, eventId, sequence: written.sequence, deliveries: to.length, isRepeat: false }];
    });
    return { events: accepted, dueWebhooks: yield* writeDeliveries(made) };
  };
}

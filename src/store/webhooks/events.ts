import type { Announcement } from '../../model/decision.ts';
import type { AcceptedEvent, Acceptance, NewEvent, WebhookStore } from '../../webhooks/ports/webhookStore.ts';
import type { Scope } from '../../model/serviceKey.ts';
import type { TableDependencies } from '../transaction.ts';
import { transaction } from '../transaction.ts';
import type { Dialect } from '../engine/dialect.ts';
import type { Row, Script } from '../engine/script.ts';
import { document, integer, optionalText, rows, text } from '../engine/script.ts';
import type { Subscriber } from './subscribers.ts';
import { listenersOf, subscribersOf, wants } from './subscribers.ts';
import { SYSTEM, scopeKey as keyOf } from '../../model/serviceKey.ts';

type BodyOf = (event: NewEvent, sequence: number) => string;

interface Kept {
  /** Of the new ones, by their ids. */
  readonly fresh: ReadonlyMap<string, { readonly number: number; readonly sequence: number }>;
  /** Those that were accepted before, or earlier in this go, by `repeatKey`. */
  readonly known: ReadonlyMap<string, AcceptedEvent>;
}

const scopeOf = (found: Row): Scope => ({
  folder: text(found, 'folder'),
  name: text(found, 'name'),
  type: text(found, 'type'),
});

const repeatKey = (scope: Scope, eventId: string): string => `${keyOf(scope)} ${eventId}`;

function* knownEvents({ each }: Dialect, events: readonly NewEvent[]): Script<Map<string, AcceptedEvent>> {
  const named = events.flatMap(({ scope: { folder, name, type }, eventId }) =>
    eventId === undefined ? [] : [[folder, name, type, eventId]],
  );
  const found =
    named.length === 0
      ? []
      : yield* rows(
          `select e.folder, e.name, e.type, e.id, e.event_id, e.sequence from ${each('$1')} join event e
             on e.folder = item.value ->> 0 and e.name = item.value ->> 1 and e.type = item.value ->> 2
               and e.event_id = item.value ->> 3
           where e.event_id is not null`,
          JSON.stringify(named),
        );
  return new Map(
    found.map((one) => {
      const [id, eventId, sequence] = [text(one, 'id'), text(one, 'event_id'), integer(one, 'sequence')];
      return [repeatKey(scopeOf(one), eventId), { id, eventId, sequence, deliveries: 0, isRepeat: true }];
    }),
  );
}

/** The last number of each scope, after so many were taken. Everyone takes them in one order, and so waits for nobody twice. */
function* takeNumbers({ each }: Dialect, events: readonly NewEvent[]): Script<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const { scope } of events) counts.set(keyOf(scope), (counts.get(keyOf(scope)) ?? 0) + 1);
  const wanted = [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const taken = yield* rows(
    `insert into event_sequence (folder, name, type, n)
     select value ->> 0, value ->> 1, value ->> 2, cast(value ->> 3 as bigint) from ${each('$1')} where true
     on conflict (folder, name, type) do update set n = event_sequence.n + excluded.n returning folder, name, type, n`,
    JSON.stringify(wanted.map(([key, count]) => [...(JSON.parse(key) as string[]), count])),
  );
  return new Map(
    taken.map((one) => {
      const key = keyOf(scopeOf(one));
      return [key, integer(one, 'n') - (counts.get(key) ?? 0) + 1];
    }),
  );
}

/** All in one go, whatever their scopes: what is known already is found, the rest is numbered and kept. */
function* keepEvents(dialect: Dialect, events: readonly NewEvent[], bodyOf: BodyOf): Script<Kept> {
  const known = yield* knownEvents(dialect, events);
  const seen = new Set(known.keys());
  // The same one twice in one go, too.
  const fresh = events.filter(({ scope, eventId }) => {
    if (eventId === undefined) return true;
    const key = repeatKey(scope, eventId);
    return seen.has(key) ? false : seen.add(key);
  });
  if (fresh.length === 0) return { fresh: new Map(), known };
  const numbers = yield* takeNumbers(dialect, fresh);
  const sequences = new Map<string, number>();
  const written = fresh.map((event) => {
    const { id, scope, eventId, type: eventType, at } = event;
    const sequence = numbers.get(keyOf(scope)) ?? 0;
    numbers.set(keyOf(scope), sequence + 1);
    sequences.set(id, sequence);
    if (eventId !== undefined)
      known.set(repeatKey(scope, eventId), { id, eventId, sequence, deliveries: 0, isRepeat: true });
    const { folder, name, type } = scope;
    return [id, folder, name, type, eventId ?? null, eventType, at, sequence, bodyOf(event, sequence)];
  });
  const made = yield* rows(
    `insert into event (id, folder, name, type, event_id, event_type, at, sequence, body)
     select value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, cast(value ->> 6 as bigint),
       cast(value ->> 7 as bigint), value ->> 8 from ${dialect.each('$1')} returning seq, id`,
    JSON.stringify(written),
  );
  const kept = made.map((one) => {
    const id = text(one, 'id');
    return [id, { number: integer(one, 'seq'), sequence: sequences.get(id) ?? 0 }] as const;
  });
  return { fresh: new Map(kept), known };
}

/** Deliveries, and the count of what was accepted, always together. Everyone locks ledgers in one order. */
function* keepDeliveries(
  dialect: Dialect,
  deliveries: readonly (readonly [event: number, webhook: number])[],
  now: number,
): Script<readonly number[]> {
  if (deliveries.length === 0) return [];
  yield* rows(
    `insert into delivery (event_seq, webhook_seq, state, due_at, fence, attempts, round_attempts, created_at)
     select cast(value ->> 0 as bigint), cast(value ->> 1 as bigint), 'pending', cast($2 as bigint), 0, 0, 0,
       cast($2 as bigint) from ${dialect.each('$1')}`,
    JSON.stringify(deliveries),
    now,
  );
  const counts = new Map<number, number>();
  for (const [, webhook] of deliveries) counts.set(webhook, (counts.get(webhook) ?? 0) + 1);
  const perWebhook = JSON.stringify([...counts]);
  yield* lockLedgers(dialect, perWebhook);
  yield* rows(
    `update webhook_ledger set accepted = accepted + cast(value ->> 1 as bigint) from ${dialect.each('$1')}
     where webhook_seq = cast(value ->> 0 as bigint)`,
    perWebhook,
  );
  return [...counts.keys()];
}

/** `webhooks` is a JSON array of arrays, each beginning with the number of a webhook. */
export function* lockLedgers({ forUpdate, each }: Dialect, webhooks: string): Script<void> {
  if (forUpdate === '') return;
  yield* rows(
    `select webhook_seq from webhook_ledger where webhook_seq in (select cast(value ->> 0 as bigint) from ${each('$1')})
     order by webhook_seq${forUpdate}`,
    webhooks,
  );
}

function announcementOf(found: Row): Announcement {
  const [folder, name, type] = ['folder', 'name', 'service_type'].map((column) => optionalText(found, column));
  const service =
    folder === undefined || name === undefined || type === undefined ? {} : { service: { folder, name, type } };
  return { type: text(found, 'type'), ...service, data: document(found, 'data') as Announcement['data'] };
}

type Part = Pick<WebhookStore, 'accept' | 'takeAnnouncements'>;

export function eventMethods(needs: TableDependencies): Part {
  const { clock } = needs;
  const { dialect } = needs.engine;

  function* accept(
    events: readonly NewEvent[],
    bodyOf: BodyOf,
    listenersTo: (event: NewEvent) => readonly Subscriber[],
  ): Script<Acceptance> {
    const { fresh, known } = yield* keepEvents(dialect, events, bodyOf);
    const deliveries: (readonly [number, number])[] = [];
    const results = events.flatMap((event): readonly AcceptedEvent[] => {
      const { id, scope, eventId } = event;
      const kept = fresh.get(id);
      if (kept === undefined) {
        const before = eventId === undefined ? undefined : known.get(repeatKey(scope, eventId));
        return before === undefined ? [] : [before];
      }
      const to = listenersTo(event);
      for (const one of to) deliveries.push([kept.number, one.number]);
      return [{ id, eventId, sequence: kept.sequence, deliveries: to.length, isRepeat: false }];
    });
    const wake = yield* keepDeliveries(dialect, deliveries, clock.now());
    return { events: results, dueWebhooks: wake };
  }

  /** The oldest announcements, taken out of the outbox. */
  function* takeOut(limit: number): Script<readonly Row[]> {
    const taken = yield* rows(
      `delete from outbox where id in (select id from outbox order by id limit ${limit}${dialect.skipLocked})
       returning id, at, type, folder, name, service_type, data`,
    );
    return taken.toSorted((a, b) => integer(a, 'id') - integer(b, 'id'));
  }

  return {
    accept: (events, bodyOf) =>
      transaction(needs, { closedWhen: 'never' }, function* () {
        const subscribers = yield* subscribersOf(
          dialect,
          events.map(({ scope }) => scope),
        );
        return yield* accept(events, bodyOf, ({ scope, type }) =>
          (subscribers.get(keyOf(scope)) ?? []).filter((one) => wants(one, type)),
        );
      }),

    async takeAnnouncements(limit, eventOf, bodyOf) {
      const [waiting] = await needs.engine.query('select 1 as yes from outbox limit 1');
      if (waiting === undefined) return undefined;
      return transaction(needs, { closedWhen: 'never' }, function* () {
        const taken = (yield* takeOut(limit)).map((found) => {
          const announcement = announcementOf(found);
          return { announcement, event: eventOf(announcement, integer(found, 'at')) };
        });
        const scopes = [SYSTEM, ...taken.map(({ event }) => event.scope)];
        const subscribers = yield* subscribersOf(dialect, scopes);
        const ofSystem = subscribers.get(keyOf(SYSTEM)) ?? [];
        const listeners = new Map<NewEvent, readonly Subscriber[]>();
        for (const { announcement, event } of taken) {
          const isSystem = keyOf(event.scope) === keyOf(SYSTEM);
          const own = isSystem ? [] : (subscribers.get(keyOf(event.scope)) ?? []);
          const all = listenersOf(announcement, event, own, ofSystem);
          // What nobody listens to is not kept.
          if (all.length > 0) listeners.set(event, all);
        }
        return yield* accept([...listeners.keys()], bodyOf, (event) => listeners.get(event) ?? []);
      });
    },
  };
}

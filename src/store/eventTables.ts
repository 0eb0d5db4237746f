import type { Announcement } from '../foundation/decision.ts';
import type { AcceptedEvent, Acceptance, NewEvent, Scope, WebhookStore } from '../webhooks/webhookStore.ts';
import type { ChangeNeeds } from './change.ts';
import { change } from './change.ts';
import type { Dialect } from './engine.ts';
import type { Row, Script } from './script.ts';
import { document, integer, optionalText, row, rows, text } from './script.ts';

type BodyOf = (event: NewEvent, sequence: number) => string;

const SYSTEM: Scope = { folder: '', name: '', type: '' };
const keyOf = ({ folder, name, type }: Scope): string => JSON.stringify([folder, name, type]);

interface Subscriber {
  readonly number: number;
  readonly id: string;
  readonly types: readonly string[];
  readonly created: number;
}

function* subscribersOf({ folder, name, type }: Scope): Script<readonly Subscriber[]> {
  const found = yield* rows(
    `select seq, id, change_types, created_at from webhook where folder = $1 and name = $2 and type = $3 and deleted_at is null
     order by seq`,
    folder,
    name,
    type,
  );
  return found.map((one) => ({
    number: integer(one, 'seq'),
    id: text(one, 'id'),
    types: document(one, 'change_types') as readonly string[],
    created: integer(one, 'created_at'),
  }));
}

function wants({ types }: Subscriber, type: string): boolean {
  return types.includes('*') || types.includes(type);
}

interface Kept {
  /** Of the new ones, by their ids. */
  readonly fresh: ReadonlyMap<string, { readonly number: number; readonly sequence: number }>;
  /** Those that had been accepted before, by what their sender calls them. */
  readonly known: ReadonlyMap<string, AcceptedEvent>;
}

/** Events of one scope, in one go: what is known already is found, the rest is numbered and kept. */
function* keepEvents(dialect: Dialect, scope: Scope, events: readonly NewEvent[], bodyOf: BodyOf): Script<Kept> {
  const { folder, name, type } = scope;
  const named = events.filter(({ eventId }) => eventId !== undefined).map(({ eventId }) => [eventId]);
  const found =
    named.length === 0
      ? []
      : yield* rows(
          `select id, event_id, sequence from event where folder = $1 and name = $2 and type = $3
           and event_id in (select value ->> 0 from ${dialect.each('$4')})`,
          folder,
          name,
          type,
          JSON.stringify(named),
        );
  const known = new Map<string, AcceptedEvent>();
  const remember = (eventId: string, id: string, sequence: number): void =>
    void known.set(eventId, { id, eventId, sequence, deliveries: 0, isRepeat: true });
  for (const one of found) remember(text(one, 'event_id'), text(one, 'id'), integer(one, 'sequence'));
  const seen = new Set(known.keys());
  // The same one twice in one go, too.
  const fresh = events.filter(({ eventId }) => {
    if (eventId === undefined) return true;
    return seen.has(eventId) ? false : seen.add(eventId);
  });
  if (fresh.length === 0) return { fresh: new Map(), known };
  const last = yield* row(
    `insert into event_sequence (folder, name, type, n) values ($1, $2, $3, $4)
     on conflict (folder, name, type) do update set n = event_sequence.n + excluded.n returning n`,
    folder,
    name,
    type,
    fresh.length,
  );
  const first = (last === undefined ? 0 : integer(last, 'n')) - fresh.length + 1;
  const written = fresh.map((event, n) => {
    const { id, eventId, type: eventType, at } = event;
    return [id, eventId ?? null, eventType, at, first + n, bodyOf(event, first + n)];
  });
  const made = yield* rows(
    `insert into event (id, folder, name, type, event_id, event_type, at, sequence, body)
     select value ->> 0, $2, $3, $4, value ->> 1, value ->> 2, cast(value ->> 3 as bigint),
       cast(value ->> 4 as bigint), value ->> 5 from ${dialect.each('$1')} returning seq, id, event_id, sequence`,
    JSON.stringify(written),
    folder,
    name,
    type,
  );
  for (const one of made) {
    const eventId = optionalText(one, 'event_id');
    if (eventId !== undefined) remember(eventId, text(one, 'id'), integer(one, 'sequence'));
  }
  const kept = made.map(
    (one) => [text(one, 'id'), { number: integer(one, 'seq'), sequence: integer(one, 'sequence') }] as const,
  );
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

function grouped(events: readonly NewEvent[]): readonly (readonly NewEvent[])[] {
  const groups = new Map<string, NewEvent[]>();
  for (const event of events) {
    const key = keyOf(event.scope);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [event]);
    else group.push(event);
  }
  // In one order for everyone, so that two who number events of the same services never wait for each other.
  return [...groups.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group);
}

function announcementOf(found: Row): Announcement {
  const [folder, name, type] = ['folder', 'name', 'service_type'].map((column) => optionalText(found, column));
  const service =
    folder === undefined || name === undefined || type === undefined ? {} : { service: { folder, name, type } };
  return { type: text(found, 'type'), ...service, data: document(found, 'data') as Announcement['data'] };
}

/**
 * Who is told of something of Steward's own. A webhook hears nothing of itself, nor of what was before it. Of the troubles
 * of its neighbours a service's webhook hears only if it names them: else one dead host would deactivate all of them.
 */
function listenersOf(
  { data }: Announcement,
  { type, at }: NewEvent,
  own: readonly Subscriber[],
  ofSystem: readonly Subscriber[],
): readonly Subscriber[] {
  const isOfWebhook = type.startsWith('webhook.');
  return [...own.filter(({ types }) => !isOfWebhook || types.includes(type)), ...ofSystem].filter(
    (one) => wants(one, type) && one.id !== data['webhookId'] && one.created <= at,
  );
}

type Part = Pick<WebhookStore, 'accept' | 'takeAnnouncements'>;

export function eventTables(needs: ChangeNeeds): Part {
  const { clock } = needs;
  const { dialect } = needs.engine;

  function* accept(
    events: readonly NewEvent[],
    bodyOf: BodyOf,
    listenersTo: (event: NewEvent, own: readonly Subscriber[]) => readonly Subscriber[],
  ): Script<Acceptance> {
    const results = new Map<NewEvent, AcceptedEvent>();
    const deliveries: (readonly [number, number])[] = [];
    for (const group of grouped(events)) {
      const [{ scope } = { scope: SYSTEM }] = group;
      const { fresh, known } = yield* keepEvents(dialect, scope, group, bodyOf);
      const subscribers = fresh.size === 0 ? [] : yield* subscribersOf(scope);
      for (const event of group) {
        const kept = fresh.get(event.id);
        const before = event.eventId === undefined ? undefined : known.get(event.eventId);
        if (kept === undefined) {
          if (before !== undefined) results.set(event, before);
          continue;
        }
        const { id, eventId } = event;
        const to = listenersTo(event, subscribers);
        for (const one of to) deliveries.push([kept.number, one.number]);
        results.set(event, { id, eventId, sequence: kept.sequence, deliveries: to.length, isRepeat: false });
      }
    }
    const wake = yield* keepDeliveries(dialect, deliveries, clock.now());
    return { events: events.flatMap((event) => results.get(event) ?? []), wake };
  }

  /** The oldest announcements, taken out of the outbox. */
  function* takeOut(limit: number): Script<readonly Row[]> {
    return yield* rows(
      `delete from outbox where id in (select id from outbox order by id limit ${limit}${dialect.skipLocked})
       returning id, at, type, folder, name, service_type, data`,
    );
  }

  return {
    accept: (events, bodyOf) =>
      change(needs, { closedWhen: 'never' }, () =>
        accept(events, bodyOf, ({ type }, own) => own.filter((one) => wants(one, type))),
      ),

    async takeAnnouncements(limit, eventOf, bodyOf) {
      const [waiting] = await needs.engine.query('select 1 as yes from outbox limit 1');
      if (waiting === undefined) return undefined;
      return change(needs, { closedWhen: 'never' }, function* () {
        const taken = (yield* takeOut(limit)).toSorted((a, b) => integer(a, 'id') - integer(b, 'id'));
        const ofSystem = yield* subscribersOf(SYSTEM);
        const listeners = new Map<NewEvent, readonly Subscriber[]>();
        for (const found of taken) {
          const announcement = announcementOf(found);
          const event = eventOf(announcement, integer(found, 'at'));
          const own = keyOf(event.scope) === keyOf(SYSTEM) ? [] : yield* subscribersOf(event.scope);
          const all = listenersOf(announcement, event, own, ofSystem);
          // What nobody listens to is not kept.
          if (all.length > 0) listeners.set(event, all);
        }
        return yield* accept([...listeners.keys()], bodyOf, (event) => listeners.get(event) ?? []);
      });
    },
  };
}

import { SYSTEM, isSystem, scopeKey } from '../../model/serviceKey.ts';
import type { Scope } from '../../model/serviceKey.ts';
import type { WebhookStore } from '../../webhooks/ports/webhookStore.ts';
import type { NewEvent, Subscriber } from '../../webhooks/ports/acceptance.ts';
import { integer } from '../engine/codec.ts';
import type { Script } from '../engine/script.ts';
import { row } from '../engine/script.ts';
import type { TableDependencies } from '../transaction.ts';
import { outbox, transaction } from '../transaction.ts';
import { createAccept } from './acceptance.ts';
import { scopes, seq, webhooks } from './webhookTables.ts';

const numberedOutbox = outbox.with({ id: integer('id') });
const subscribers = webhooks.pick('id', 'scope', 'changeTypes', 'created').with({ number: seq });

export function eventMethods(dependencies: TableDependencies) {
  const { engine, clock } = dependencies;
  const { dialect } = engine;
  const accept = createAccept(dialect, clock);
  const SUBSCRIBERS = `select ${subscribers.list('w')} from ${scopes.relation(dialect, '$1')} join webhook w
      on w.folder = item.folder and w.name = item.name and w.type = item.type
    where w.deleted_at is null order by w.seq`;

  /** Returns a function that finds the webhooks of one of these scopes. */
  function* readSubscribers(wanted: readonly Scope[]): Script<(scope: Scope) => readonly Subscriber[]> {
    const byScope = new Map<string, Subscriber[]>();
    const distinct = new Map(wanted.map((scope) => [scopeKey(scope), scope]));
    const found = yield* subscribers.all(SUBSCRIBERS, scopes.batch(dialect, [...distinct.values()]));
    for (const { scope, ...subscriber } of found) {
      const key = scopeKey(scope);
      const others = byScope.get(key);
      if (others === undefined) byScope.set(key, [subscriber]);
      else others.push(subscriber);
    }
    return (scope) => byScope.get(scopeKey(scope)) ?? [];
  }

  return {
    accept: (requests, { bodyOf, audience }) =>
      transaction(dependencies, { closedWhen: 'never' }, function* () {
        const subscribersOf = yield* readSubscribers(requests.flat().map(({ scope }) => scope));
        return yield* accept(requests, bodyOf, (event) => audience(event, subscribersOf(event.scope)));
      }),

    async takeAnnouncements(limit, { eventOf, bodyOf, audience }) {
      // Read first, so that an idle server does not write.
      if ((await engine.read(row('select 1 as yes from outbox limit 1'))) === undefined) return undefined;
      return transaction(dependencies, { closedWhen: 'never' }, function* () {
        const taken = yield* numberedOutbox.all(
          `delete from outbox where id in (select id from outbox order by id limit ${limit}${dialect.skipLocked})
           returning ${numberedOutbox.list()}`,
        );
        const announced = taken
          .toSorted((a, b) => a.id - b.id)
          .map((announcement) => ({ announcement, event: eventOf(announcement, announcement.at) }));
        const subscribersOf = yield* readSubscribers([SYSTEM, ...announced.map(({ event }) => event.scope)]);
        const audiences = new Map<NewEvent, readonly Subscriber[]>();
        for (const { announcement, event } of announced) {
          const ofService = isSystem(event.scope) ? [] : subscribersOf(event.scope);
          const heardBy = audience(announcement, event, ofService, subscribersOf(SYSTEM));
          // An announcement without an audience is not stored as an event.
          if (heardBy.length > 0) audiences.set(event, heardBy);
        }
        yield* accept([[...audiences.keys()]], bodyOf, (event) => audiences.get(event) ?? []);
        return audiences.size;
      });
    },
  } satisfies Partial<WebhookStore>;
}

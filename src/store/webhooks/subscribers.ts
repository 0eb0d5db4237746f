import { scopeKey as keyOf } from '../../model/serviceKey.ts';
import type { Announcement } from '../../model/decision.ts';
import type { NewEvent } from '../../webhooks/ports/webhookStore.ts';
import type { Scope } from '../../model/serviceKey.ts';
import type { Dialect } from '../engine/dialect.ts';
import type { Script } from '../engine/script.ts';
import { document, integer, rows, text } from '../engine/script.ts';

export interface Subscriber {
  readonly number: number;
  readonly id: string;
  readonly types: readonly string[];
  readonly created: number;
}

/** The webhooks of each of these scopes, by `keyOf`. */
export function* subscribersOf(
  { each }: Dialect,
  scopes: readonly Scope[],
): Script<ReadonlyMap<string, readonly Subscriber[]>> {
  const distinct = new Set(scopes.map(keyOf));
  const found = yield* rows(
    `select w.seq, w.id, w.folder, w.name, w.type, w.change_types, w.created_at from ${each('$1')} join webhook w
       on w.folder = item.value ->> 0 and w.name = item.value ->> 1 and w.type = item.value ->> 2
     where w.deleted_at is null order by w.seq`,
    `[${[...distinct].join(',')}]`,
  );
  const byScope = new Map<string, Subscriber[]>([...distinct].map((key) => [key, []]));
  for (const one of found) {
    const key = keyOf({ folder: text(one, 'folder'), name: text(one, 'name'), type: text(one, 'type') });
    byScope.get(key)?.push({
      number: integer(one, 'seq'),
      id: text(one, 'id'),
      types: document(one, 'change_types') as readonly string[],
      created: integer(one, 'created_at'),
    });
  }
  return byScope;
}

export function wants({ types }: Subscriber, type: string): boolean {
  return types.includes('*') || types.includes(type);
}

/**
 * Who is told of something of Steward's own. A webhook hears nothing of itself, nor of what was before it. Of the troubles
 * of its neighbours a service's webhook hears only if it names them: else one dead host would deactivate all of them.
 */
export function listenersOf(
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

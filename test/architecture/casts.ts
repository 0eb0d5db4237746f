// Casts belong at a parser, where a type is proved. Elsewhere each one is a promise that no compiler checks.
import type { Node, Parsed } from './sources.ts';
import { rootOf, walk } from './sources.ts';

/** Types that must never be cast to: what recovery depends on is parsed, not believed. */
const NEVER = /^(Plan|Task|Cursor|Entry|RunState|UpgradeTask)$/;

export interface Cast {
  readonly at: string;
  readonly type: string;
}

/** The casts of a file; `as const` is not one. */
export function castsIn(file: Parsed): readonly Cast[] {
  const found: Cast[] = [];
  walk(rootOf(file), (node) => {
    if (node.type !== 'TSAsExpression') return;
    const type = node['typeAnnotation'] as Node;
    const text = file.text.slice(type.start, type.end);
    if (text !== 'const') found.push({ at: `${file.path}:${file.lineOf(node.start)}`, type: text });
  });
  return found;
}

/** Casts to types that must be parsed. */
export function forbiddenCasts(casts: readonly Cast[]): readonly string[] {
  return casts.filter(({ type }) => NEVER.test(type)).map(({ at, type }) => `${at} as ${type}`);
}

/** Rooms with more casts than their limit, each with its casts. */
export function roomsAboveLimit(casts: readonly Cast[], limits: Readonly<Record<string, number>>): readonly string[] {
  const rooms = new Map<string, Cast[]>();
  for (const cast of casts) {
    const room = /^src\/([^/:]+)/.exec(cast.at)?.[1] ?? '';
    rooms.set(room, [...(rooms.get(room) ?? []), cast]);
  }
  return [...rooms]
    .filter(([room, all]) => all.length > (limits[room] ?? 0))
    .map(
      ([room, all]) =>
        `${room} may have ${limits[room] ?? 0} casts and has ${all.length}: ${all.map(({ at, type }) => `${at} as ${type}`).join('; ')}`,
    );
}

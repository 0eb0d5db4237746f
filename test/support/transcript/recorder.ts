// Writes the blocks of a transcript.
import { isObject } from '../../../src/foundation/schema/json.ts';
import type { Normaliser } from './normalise.ts';

/** They say how an answer travelled, not what it is. */
const LEFT_OUT = new Set(['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding', 'x-request-id']);

export interface Recorder {
  /** Adds one block: a title, and what belongs to it, line by line. */
  add(title: string, ...lines: readonly string[]): void;
  text(): string;
}

export function createRecorder({ normalise }: Pick<Normaliser, 'normalise'>): Recorder {
  const blocks: string[] = [];
  return {
    add: (title, ...lines) => void blocks.push(normalise(`### ${[title, ...lines].join('\n').trimEnd()}\n`)),
    text: () => blocks.join('\n'),
  };
}

/** The same value with the keys of its objects in order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([key, one]) => [key, sorted(one)]));
}

/** JSON with its keys in order, and every other text as it is. */
export function pretty(text: string): string {
  try {
    return JSON.stringify(sorted(JSON.parse(text)), undefined, 1);
  } catch {
    return text;
  }
}

export function headerLines(headers: Iterable<readonly [string, string]>): readonly string[] {
  return [...headers]
    .filter(([name]) => !LEFT_OUT.has(name))
    .map(([name, value]) => `${name}: ${value}`)
    .toSorted();
}

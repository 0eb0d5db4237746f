import { duplicateKey } from './duplicateKey.ts';
import { MAX_DEPTH, TOO_DEEP, sizeProblem } from './jsonText.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns undefined if the text is not JSON, or too expensive to parse; `null` is a value. */
export function parseJson(text: string): unknown {
  if (sizeProblem(text) !== undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Tells why `parseJson` returned undefined. */
function jsonProblem(text: string): string {
  const problem = sizeProblem(text);
  return problem === undefined || problem === TOO_DEEP
    ? `must be JSON, nested at most ${MAX_DEPTH} levels deep`
    : problem;
}

export type ReadJson =
  | { readonly kind: 'valid'; readonly value: unknown }
  | { readonly kind: 'invalid'; readonly problem: string };

/**
 * Reads JSON that a person or another program sends. A key that an object has twice is refused, because readers disagree about
 * which of the two counts. `rule` is the problem of a text that is not JSON. `parseJson` is for what Steward has asked for.
 */
export function readJson(text: string, rule?: string): ReadJson {
  const value = parseJson(text);
  if (value === undefined) return { kind: 'invalid', problem: rule ?? jsonProblem(text) };
  const key = duplicateKey(text);
  return key === undefined
    ? { kind: 'valid', value }
    : { kind: 'invalid', problem: `has the key ${JSON.stringify(key.slice(0, 100))} more than once` };
}

/** Returns undefined if there is nothing at the path. */
export function valueAt(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce((at, key) => (isObject(at) ? at[key] : undefined), value);
}

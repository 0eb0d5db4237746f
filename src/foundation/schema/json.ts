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
export function jsonProblem(text: string): string {
  const problem = sizeProblem(text);
  return problem === undefined || problem === TOO_DEEP
    ? `must be JSON, nested at most ${MAX_DEPTH} levels deep`
    : problem;
}

/** Returns undefined if there is nothing at the path. */
export function valueAt(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce((at, key) => (isObject(at) ? at[key] : undefined), value);
}

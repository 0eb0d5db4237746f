export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns undefined if the text is not JSON; `null` is a value. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns undefined if there is nothing at the path. */
export function valueAt(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce((at, key) => (isObject(at) ? at[key] : undefined), value);
}

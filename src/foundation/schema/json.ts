export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Far more than any document needs. Parsing a million open brackets takes 150 ms, and finding them 2 ms. */
const MAX_DEPTH = 1000;
const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [34, 92, 91, 93, 123, 125];

function isTooDeep(text: string): boolean {
  let [depth, isText] = [0, false];
  for (let at = 0; at < text.length; at += 1) {
    const letter = text.charCodeAt(at);
    if (letter === QUOTE) isText = !isText;
    else if (isText) at += letter === BACKSLASH ? 1 : 0;
    else if (letter === OPEN_LIST || letter === OPEN_OBJECT) depth += 1;
    else if (letter === CLOSE_LIST || letter === CLOSE_OBJECT) depth -= 1;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}

/** What a text must be for `parseJson`. */
export const JSON_RULE = `must be JSON, nested at most ${MAX_DEPTH} levels deep`;

/** Returns undefined if the text is not JSON, or nested deeper than 1,000 levels; `null` is a value. */
export function parseJson(text: string): unknown {
  // A text this short cannot be too deep and closed.
  if (text.length > 2 * MAX_DEPTH && isTooDeep(text)) return undefined;
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

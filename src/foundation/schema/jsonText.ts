// Looks at JSON texts before they are parsed, because a small text can be expensive to parse.

interface JsonLimits {
  /** Different keys. They cost most: `JSON.parse` takes 150 ms for a megabyte of objects with 5,000 of them, and 40 ms with 1,000. */
  readonly keys: number;
  /** Objects and lists. `JSON.parse` takes 75 ms for 350,000 empty ones. */
  readonly containers: number;
  readonly values: number;
}

export const MAX_DEPTH = 1000;

/** No request needs more: 150,000 objects or lists in a megabyte have 7 bytes each, and a payload may have ids as keys. */
const REQUEST_LIMITS: JsonLimits = { keys: 20_000, containers: 150_000, values: 500_000 };

/** The keys of a file are known fields. A manifest of 16 MiB has 500,000 values at most. */
export const FILE_LIMITS: JsonLimits = { ...REQUEST_LIMITS, keys: 1000 };

/** Returned for nesting, for callers that name its place themselves. */
export const TOO_DEEP = `must be nested at most ${MAX_DEPTH} levels deep`;

const [SPACE, QUOTE, COMMA, COLON, BACKSLASH] = [32, 34, 44, 58, 92];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125];

/** Returns the place after the string that starts at `from`, or the end of the text. */
export function endOfString(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at += 1) {
    const letter = text.charCodeAt(at);
    if (letter === BACKSLASH) at += 1;
    else if (letter === QUOTE) return at + 1;
  }
  return text.length;
}

/** Finds what makes a text expensive to parse, in one pass. A text that is not JSON gets no problem here, or any. */
export function sizeProblem(text: string, limits = REQUEST_LIMITS): string | undefined {
  // A text this short cannot be too deep and closed, and a key and its value take five letters.
  if (text.length <= 2 * MAX_DEPTH) return undefined;
  const countsKeys = text.length > 5 * limits.keys;
  const keys = new Set<string>();
  let depth = 0;
  let containers = 0;
  let values = 0;
  let start = 0;
  let end = 0;
  for (let at = 0; at < text.length; at += 1) {
    const letter = text.charCodeAt(at);
    // An indented text is mostly spaces.
    if (letter === SPACE) continue;
    if (letter === QUOTE) {
      start = at;
      end = endOfString(text, at);
      at = end - 1;
    } else if (letter === COMMA) {
      values += 1;
      if (values > limits.values) return `must have at most ${limits.values} values`;
    } else if (letter === COLON) {
      if (countsKeys && keys.add(text.slice(start, end)).size > limits.keys)
        return `must have at most ${limits.keys} different keys`;
    } else if (letter === OPEN_LIST || letter === OPEN_OBJECT) {
      depth += 1;
      if (depth > MAX_DEPTH) return TOO_DEEP;
      containers += 1;
      if (containers > limits.containers) return `must have at most ${limits.containers} objects and lists`;
    } else if (letter === CLOSE_LIST || letter === CLOSE_OBJECT) depth -= 1;
  }
  return undefined;
}

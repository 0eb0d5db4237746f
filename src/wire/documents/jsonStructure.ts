import { endOfString } from '../../foundation/schema/jsonText.ts';

/** Nesting that no request needs. It bounds the work of everything that walks through the value later. */
const MAX_DEPTH = 64;

export interface StructureProblem {
  /** The key of the outermost object below which the problem is; empty if it is not in an object. */
  readonly field: string;
  readonly text: string;
}

const QUOTE = 34;
const COMMA = 44;
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125];

function keyOf(quoted: string): string {
  if (!quoted.includes('\\')) return quoted.slice(1, -1);
  try {
    return String(JSON.parse(quoted));
  } catch {
    return quoted;
  }
}

/** The problem of an outermost object with more keys than allowed. */
export const TOO_MANY_KEYS: StructureProblem = { field: '', text: 'has too many keys' };

/**
 * Finds nesting that is too deep, and keys that an object has twice: readers disagree about which of the two counts.
 * One pass, before the text is parsed. A text that is not JSON gets no problem here, or any.
 */
export function structureProblem(text: string, maxKeys = Infinity): StructureProblem | undefined {
  /** The keys of each open object; an open list has none. */
  const open: (Set<string> | undefined)[] = [];
  let [field, isKeyNext] = ['', false];
  for (let at = 0; at < text.length; at += 1) {
    const letter = text.charCodeAt(at);
    if (letter === QUOTE) {
      const end = endOfString(text, at);
      const keys = isKeyNext ? open.at(-1) : undefined;
      if (keys !== undefined) {
        const key = keyOf(text.slice(at, end));
        if (open.length === 1) field = key;
        if (keys.has(key))
          return {
            field,
            text:
              open.length === 1
                ? 'was sent more than once'
                : `has the key ${JSON.stringify(key.slice(0, 100))} more than once`,
          };
        keys.add(key);
        if (open.length === 1 && keys.size > maxKeys) return TOO_MANY_KEYS;
      }
      isKeyNext = false;
      at = end - 1;
    } else if (letter === OPEN_OBJECT || letter === OPEN_LIST) {
      if (open.length === MAX_DEPTH) return { field, text: `must be nested at most ${MAX_DEPTH} deep` };
      isKeyNext = letter === OPEN_OBJECT;
      open.push(isKeyNext ? new Set() : undefined);
    } else if (letter === CLOSE_OBJECT || letter === CLOSE_LIST) open.pop();
    else if (letter === COMMA) isKeyNext = open.at(-1) !== undefined;
  }
  return undefined;
}

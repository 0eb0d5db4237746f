// Extracts parts of a JSON text as they were sent. Parsing and writing them again could change large numbers, the order
// of keys and decimal places, on which a signature or a receiver may depend.
import { endOfString } from '../../foundation/schema/jsonText.ts';

// Letters are compared by their codes, because a text may have a million of them.
const [SPACE, QUOTE, COMMA] = [32, 34, 44];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125];

/** Tab, line feed, carriage return and space: the only spaces of JSON. */
function isSpace(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9;
}

/** Finds the end of the value that starts at `from`. The text must be valid JSON. */
function endOfValue(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    const letter = text.charCodeAt(at);
    if (letter === SPACE) continue;
    const isClosed = letter === CLOSE_OBJECT || letter === CLOSE_LIST;
    if (letter === QUOTE) at = endOfString(text, at) - 1;
    else if (letter === OPEN_OBJECT || letter === OPEN_LIST) depth += 1;
    else if (isClosed) {
      if (depth === 0) return at;
      depth -= 1;
    } else if (letter === COMMA && depth === 0) return at;
    if (depth === 0 && (letter === QUOTE || isClosed)) return at + 1;
  }
  return text.length;
}

function skip(text: string, from: number, letters: string): number {
  let at = from;
  while (at < text.length && (isSpace(text.charCodeAt(at)) || letters.includes(text.charAt(at)))) at += 1;
  return at;
}

/** Returns the texts of the elements. The text must be a valid JSON array. */
export function rawElements(text: string): readonly string[] {
  const found: string[] = [];
  let at = skip(text, text.indexOf('[') + 1, '');
  while (at < text.length && text[at] !== ']') {
    const end = endOfValue(text, at);
    found.push(text.slice(at, end).trimEnd());
    at = skip(text, end, ',');
  }
  return found;
}

/** Returns the text of each member. The text must be a valid JSON object; of repeated keys the last one counts. */
export function rawMembers(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  let at = skip(text, text.indexOf('{') + 1, '');
  while (at < text.length && text[at] !== '}') {
    const endOfKey = endOfString(text, at);
    const key = JSON.parse(text.slice(at, endOfKey)) as string;
    const value = skip(text, endOfKey, ':');
    const end = endOfValue(text, value);
    found.set(key, text.slice(value, end).trimEnd());
    at = skip(text, end, ',');
  }
  return found;
}

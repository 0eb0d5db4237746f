// Reads one line of a bundle. A line is judged as text first, because a small text can be expensive to parse.
import { isObject, readJson } from '../../../foundation/schema/json.ts';
import type { JsonObject } from '../../../foundation/schema/json.ts';
import { endOfString } from '../../../foundation/schema/jsonText.ts';

export type BundleLine =
  | { readonly kind: 'valid'; readonly content: JsonObject }
  | { readonly kind: 'invalid'; readonly problem: string };

const NUMBER = /-?\d[\d.eE+-]*/y;
const INTEGER = /^-?\d+$/;
/** A number that is not kept has one of these. The digits may also be in a string. */
const SUSPECT = /\d{16}|[eE]\+?\d{3}/;

/** Whether a number reads back as it is written: an integer of at most 2^53, or a fraction that is finite. */
function isKeptExactly(number: string): boolean {
  return INTEGER.test(number) ? Number.isSafeInteger(Number(number)) : Number.isFinite(Number(number));
}

/** Whether every number of a JSON text reads back as it is written. */
function keepsNumbers(text: string): boolean {
  if (!SUSPECT.test(text)) return true;
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at] ?? '';
    if (letter === '"') at = endOfString(text, at) - 1;
    else if (letter === '-' || (letter >= '0' && letter <= '9')) {
      NUMBER.lastIndex = at;
      const number = NUMBER.exec(text)?.[0] ?? letter;
      if (!isKeptExactly(number)) return false;
      at += number.length - 1;
    }
  }
  return true;
}

function invalid(problem: string): BundleLine {
  return { kind: 'invalid', problem };
}

export function readBundleLine(text: string): BundleLine {
  if (text.trim() === '') return invalid('is empty; a bundle has one object on each line');
  const read = readJson(text);
  if (read.kind === 'invalid') return invalid(read.problem);
  if (!isObject(read.value)) return invalid('must be a JSON object');
  if (!keepsNumbers(text)) return invalid('has a number that is not kept exactly; write it as a string, or below 2^53');
  return { kind: 'valid', content: read.value };
}

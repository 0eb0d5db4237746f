import { memoize } from '../../foundation/cache/memoize.ts';
import type { SendOutcome } from '../ports/receiver.ts';

/** Shorter parts are too common in answers to be recognized. */
const LEAST_LENGTH = 8;
const HIDDEN = '(hidden)';

/** What a header with user name and password carries. */
function decodedBasic(value: string): readonly string[] {
  const encoded = /^basic\s+(\S+)$/i.exec(value.trim())?.[1];
  if (encoded === undefined) return [];
  const decoded = Buffer.from(encoded, 'base64').toString();
  return [decoded, ...decoded.split(':')];
}

const base64Of = (text: string): string => Buffer.from(text).toString('base64').replace(/=+$/, '');

/** The forms in which a receiver may repeat a text. Upper and lower case are found together. */
function formsOf(text: string): readonly string[] {
  const base64 = base64Of(text);
  return [
    text,
    encodeURIComponent(text),
    JSON.stringify(text).slice(1, -1),
    base64,
    base64.replaceAll('+', '-').replaceAll('/', '_'),
    Buffer.from(text).toString('hex'),
  ];
}

/** Finds the values of headers, and their parts: the token after its scheme, the words, the password of Basic. */
const secretsIn = memoize((headers: Readonly<Record<string, string>>): RegExp | undefined => {
  const parts = Object.values(headers).flatMap((value) => [value, ...value.split(/[\s,;=]+/), ...decodedBasic(value)]);
  const forms = [...new Set(parts.filter(({ length }) => length >= LEAST_LENGTH).flatMap(formsOf))];
  if (forms.length === 0) return undefined;
  // The longest first: what contains another is hidden as a whole.
  const patterns = forms
    .toSorted((a, b) => b.length - a.length)
    .map((form) => form.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&'));
  return new RegExp(patterns.join('|'), 'gi');
});

/** Hides the values of custom headers in an answer, also parts of them and their usual encodings: a receiver may echo its request. */
export function maskHeaders(outcome: SendOutcome, headers: Readonly<Record<string, string>>): SendOutcome {
  const answer = outcome.answer.replaceAll(secretsIn(headers) ?? /(?!)/g, HIDDEN);
  return answer === outcome.answer ? outcome : { ...outcome, answer };
}

import type { SendOutcome } from '../ports/receiver.ts';

/** Shorter values are too common in answers to be recognized. */
const LEAST_LENGTH = 8;

/** Hides the values of custom headers in an answer: a receiver that echoes its request must not show them to other publishers. */
export function maskHeaders(outcome: SendOutcome, headers: Readonly<Record<string, string>>): SendOutcome {
  let { answer } = outcome;
  for (const value of Object.values(headers))
    if (value.length >= LEAST_LENGTH) answer = answer.replaceAll(value, '(hidden)');
  return answer === outcome.answer ? outcome : { ...outcome, answer };
}

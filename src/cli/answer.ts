import { SECOND } from '../foundation/clock.ts';
import { StewardError } from '../foundation/errors.ts';

/** How a receiver behaves towards the sender. Slow ends in a 200. */
export type Answer =
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'slow'; readonly seconds: number }
  | { readonly kind: 'never' };

export const ANSWERS = 'a status from 200 to 599, slow or never';
const LONGEST_SECONDS = 3600;

export function readAnswer(text: string, slowSeconds: number): Answer | undefined {
  const wanted = text.trim().toLowerCase();
  if (wanted === 'never') return { kind: 'never' };
  if (wanted === 'slow') return { kind: 'slow', seconds: slowSeconds };
  return /^[2-5]\d\d$/.test(wanted) ? { kind: 'status', status: Number(wanted) } : undefined;
}

export function readSlowSeconds(text: string): number {
  const seconds = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : -1;
  if (seconds < 0 || seconds > LONGEST_SECONDS)
    throw new StewardError(
      'invalid',
      `--slow must be a number of seconds from 0 to ${LONGEST_SECONDS}, not "${text}".`,
    );
  return seconds;
}

export function wordsOf(answer: Answer): string {
  if (answer.kind === 'status') return String(answer.status);
  return answer.kind === 'slow' ? `200 after ${answer.seconds} s` : 'no answer';
}

export function delayMsOf(answer: Answer): number {
  return answer.kind === 'slow' ? answer.seconds * SECOND : 0;
}

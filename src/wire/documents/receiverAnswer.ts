import type { ServerResponse } from 'node:http';
import { SECOND } from '../../foundation/clock.ts';

/** How a receiver answers a delivery. `slow` answers 200 after some seconds. */
export type ReceiverAnswer =
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'slow'; readonly seconds: number }
  | { readonly kind: 'never' };

const MAX_SECONDS = 3600;
export const ANSWER_CHOICES = 'a status from 200 to 599, slow or never';
export const SLOW_SECONDS = `a number of seconds from 0 to ${MAX_SECONDS}`;

export function readReceiverAnswer(text: string, slowSeconds: number): ReceiverAnswer | undefined {
  if (text === 'never') return { kind: 'never' };
  if (text === 'slow') return { kind: 'slow', seconds: slowSeconds };
  return /^[2-5]\d\d$/.test(text) ? { kind: 'status', status: Number(text) } : undefined;
}

export function readSlowSeconds(text: string): number | undefined {
  const seconds = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : -1;
  return seconds < 0 || seconds > MAX_SECONDS ? undefined : seconds;
}

/** Calls `reply` with the status when it is due, unless the sender has disconnected. */
export function sendAnswer(response: ServerResponse, answer: ReceiverAnswer, reply: (status: number) => void): void {
  if (answer.kind === 'never') return;
  const [status, seconds] = answer.kind === 'slow' ? [200, answer.seconds] : [answer.status, 0];
  const timer = setTimeout(() => reply(status), seconds * SECOND);
  response.once('close', () => clearTimeout(timer));
}

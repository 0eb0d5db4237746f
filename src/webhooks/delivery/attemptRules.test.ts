import { describe, expect, test } from 'vitest';
import { HOUR, MINUTE, SECOND } from '../../foundation/clock.ts';
import type { ResendableState } from '../../model/deliveryState.ts';
import type { AttemptOutcome } from '../ports/receiver.ts';
import { afterAttempt } from './attemptRules.ts';

const ENDED = 1_000_000;
const POLICY = {
  notificationAttempts: 3,
  notificationTimeOutInSeconds: 10,
  notificationElapsedTimeInSeconds: 30,
  daysInPast: 5,
  numberOfFailures: 5,
};
const ACCEPTED: AttemptOutcome = { kind: 'accepted', status: 200, answer: '', durationMs: 1 };
const UNREACHABLE: AttemptOutcome = { kind: 'unreachable', reason: '', answer: '', durationMs: 1 };

function refused(status: number, retryAfterMs?: number): AttemptOutcome {
  const more = retryAfterMs === undefined ? {} : { retryAfterMs };
  return { kind: 'refused', status, reason: '', answer: '', durationMs: 1, ...more };
}

function verdict(outcome: AttemptOutcome, attempts = 1, receiverSignals = false, resendOf?: ResendableState) {
  return afterAttempt({ outcome, endedAt: ENDED }, { attempts, receiverSignals, resendOf }, POLICY);
}

test('an accepted attempt delivers, even if it is the last one', () => {
  expect(verdict(ACCEPTED, 3)).toEqual({ kind: 'delivered' });
});

test('a refused or unreachable attempt is retried after the time of the policy, counted from its end', () => {
  for (const outcome of [refused(500), UNREACHABLE])
    expect(verdict(outcome)).toEqual({ kind: 'retry', at: ENDED + 30 * SECOND });
});

test('a delivery fails with the last attempt of the policy, or with a later one after the policy has changed', () => {
  expect(verdict(UNREACHABLE, 2).kind).toBe('retry');
  expect(verdict(UNREACHABLE, 3)).toEqual({ kind: 'failed' });
  expect(verdict(UNREACHABLE, 9)).toEqual({ kind: 'failed' });
});

test('[WHK11] a held delivery that is sent again has all its attempts, and is then held instead of failed', () => {
  expect(verdict(UNREACHABLE, 2, false, 'held').kind).toBe('retry');
  expect(verdict(UNREACHABLE, 3, false, 'held')).toEqual({ kind: 'held', at: ENDED + 30 * SECOND });
  for (const resendOf of ['delivered', 'failed', 'discarded'] as const)
    expect(verdict(UNREACHABLE, 3, false, resendOf)).toEqual({ kind: 'failed' });
});

describe('a webhook whose receiver may send signals', () => {
  test('its receiver can delay a retry, up to one hour', () => {
    expect(verdict(refused(503, 5 * MINUTE), 1, true)).toEqual({ kind: 'retry', at: ENDED + 5 * MINUTE });
    expect(verdict(refused(503, 5 * HOUR), 1, true)).toEqual({ kind: 'retry', at: ENDED + HOUR });
  });

  test('its receiver cannot make a retry earlier than the policy says', () => {
    expect(verdict(refused(429, SECOND), 1, true)).toEqual({ kind: 'retry', at: ENDED + 30 * SECOND });
  });

  test('its receiver cannot get more attempts than the policy allows', () => {
    expect(verdict(refused(429, SECOND), 3, true)).toEqual({ kind: 'failed' });
  });

  test('its receiver is gone after an answer of 410', () => {
    expect(verdict(refused(410), 1, true)).toEqual({ kind: 'gone' });
  });
});

test('a receiver that may not send signals is retried after 410 and cannot delay a retry', () => {
  expect(verdict(refused(410))).toEqual({ kind: 'retry', at: ENDED + 30 * SECOND });
  expect(verdict(refused(503, 5 * MINUTE))).toEqual({ kind: 'retry', at: ENDED + 30 * SECOND });
});

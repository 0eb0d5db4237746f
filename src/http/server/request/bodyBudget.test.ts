import { expect, test } from 'vitest';
import { SECOND } from '../../../foundation/clock.ts';
import type { StewardError } from '../../../foundation/errors.ts';
import type { BodyOptions } from './bodyBudget.ts';
import { createBodyBudget } from './bodyBudget.ts';

const KIB = 1024;
const LIMITS = {
  bodies: 100 * KIB,
  anonymousBodies: 20 * KIB,
  freeBytes: 2 * KIB,
  bodyMs: 30 * SECOND,
  uploadBytesPerSecond: 16 * KIB,
};

function start() {
  let now = 0;
  const budget = createBodyBudget(LIMITS, () => now);
  const late: StewardError[] = [];
  const open = (options: Partial<BodyOptions> = {}) =>
    budget.open({ isUpload: false, isTrusted: false, onLate: (error) => late.push(error), ...options });
  const passes = (ms: number): void => {
    now += ms;
    budget.refuseLate();
  };
  return { budget, late, open, passes };
}

test('[REQ9] bodies without a valid token share a part of the memory, and one beyond it gets 503 with Retry-After', () => {
  const { budget, open } = start();
  const [first, second] = [open(), open()];
  expect(first.add(22 * KIB)).toBeUndefined();
  expect(second.add(2 * KIB)).toBeUndefined();
  expect(second.add(1)).toMatchObject({ code: 'unavailable', retryAfterSeconds: 5 });
  second.release();
  first.release();
  expect(budget.used()).toBe(0);
  expect(open().add(22 * KIB)).toBeUndefined();
});

test('[REQ9] small bodies are accepted when strangers have filled their share, so that signing in works', () => {
  const { open } = start();
  open().add(22 * KIB);
  for (let n = 0; n < 100; n += 1) expect(open().add(2 * KIB)).toBeUndefined();
});

test('[REQ9] a body of a caller with a valid token counts against the whole, from the moment the token is known', () => {
  const { budget, open } = start();
  const [stranger, known] = [open(), open()];
  expect(known.add(12 * KIB)).toBeUndefined();
  known.trust();
  expect(stranger.add(22 * KIB)).toBeUndefined();
  expect(known.add(70 * KIB)).toBeUndefined();
  expect(known.add(1)).toMatchObject({ code: 'unavailable' });
  known.release();
  known.release();
  stranger.release();
  expect(budget.used()).toBe(0);
});

test('[REQ9] a form that has not arrived after 30 seconds gets 408, once', () => {
  const { late, open, passes } = start();
  const [slow, done] = [open(), open()];
  slow.add(1);
  done.complete();
  passes(30 * SECOND);
  expect(late).toEqual([]);
  passes(1);
  passes(1);
  expect(late).toMatchObject([
    { code: 'requestTimeout', message: 'The body arrives too slowly: it must arrive within 30 seconds.' },
  ]);
});

test('[REQ9] an upload goes on after 30 seconds as long as it keeps the minimum rate', () => {
  const { late, open, passes } = start();
  const upload = open({ isUpload: true, isTrusted: true });
  for (let second = 1; second <= 40; second += 1) {
    upload.add(16 * KIB);
    passes(SECOND);
  }
  expect(late).toEqual([]);
  passes(SECOND);
  expect(late).toMatchObject([{ code: 'requestTimeout', message: expect.stringContaining('16 KiB per second') }]);
});

test('[REQ9] a body that was refused or given back does not count any more', () => {
  const { budget, open } = start();
  const body = open();
  body.add(10 * KIB);
  body.release();
  expect(body.add(10 * KIB)).toBeUndefined();
  body.trust();
  expect(budget.used()).toBe(0);
});

import { expect, test } from 'vitest';
import type { Clock } from '../../foundation/clock.ts';
import { createWakeSignal } from './wakeSignal.ts';

/** A clock whose sleeps end only when they are aborted, or when `pass` is called. */
function stillClock() {
  const sleeps: { readonly ms: number; end(): void }[] = [];
  const clock: Clock = {
    now: () => 0,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        sleeps.push({ ms, end: resolve });
        signal?.addEventListener('abort', () => resolve());
      }),
  };
  return { clock, sleeps, pass: () => sleeps.at(-1)?.end() };
}

async function isOver(rest: Promise<void>): Promise<boolean> {
  const pending = Symbol('pending');
  await new Promise(setImmediate);
  return (await Promise.race([rest, Promise.resolve(pending)])) !== pending;
}

test('a rest lasts until its time is over', async () => {
  const { clock, sleeps, pass } = stillClock();
  const rest = createWakeSignal(clock).rest(250, true);
  expect([sleeps[0]?.ms, await isOver(rest)]).toEqual([250, false]);
  pass();
  expect(await isOver(rest)).toBe(true);
});

test('waking ends a rest early', async () => {
  const signal = createWakeSignal(stillClock().clock);
  const rest = signal.rest(250, true);
  signal.wake();
  expect(await isOver(rest)).toBe(true);
});

test('waking before a rest ends that rest at once, and only that one', async () => {
  const signal = createWakeSignal(stillClock().clock);
  signal.wake();
  signal.wake();
  expect(await isOver(signal.rest(250, true))).toBe(true);
  expect(await isOver(signal.rest(250, true))).toBe(false);
});

test('a rest that cannot be woken lasts for its full time and uses up earlier wakes', async () => {
  const { clock, pass } = stillClock();
  const signal = createWakeSignal(clock);
  signal.wake();
  const rest = signal.rest(1000, false);
  signal.wake();
  expect(await isOver(rest)).toBe(false);
  pass();
  expect(await isOver(rest)).toBe(true);
  expect(await isOver(signal.rest(250, true))).toBe(false);
});

import { expect, test } from 'vitest';
import { SECOND } from '../../foundation/clock.ts';
import { createAcceptanceShare } from './acceptanceShare.ts';

/** Accepts with a clock that only moves by what is given here. */
function shareWith(facts: { readonly utilization: number; readonly oldestDueAt: number }) {
  let now = 100_000;
  const rests: number[] = [];
  const share = createAcceptanceShare({
    clock: {
      now: () => now,
      sleep: async (ms) => {
        rests.push(ms);
        now += ms;
      },
    },
    oldestDueAt: () => facts.oldestDueAt,
    utilization: () => facts.utilization,
  });
  return { rests, accept: (ms: number) => share(async () => (now += ms)), pass: (ms: number) => (now += ms) };
}

test('[DEC97] while the process is busy and deliveries are behind, an acceptance waits three times as long as the last one took', async () => {
  const { accept, rests } = shareWith({ utilization: 1, oldestDueAt: 0 });
  for (const ms of [40, 10, 5000, 0]) await accept(ms);
  expect(rests).toEqual([120, 30, SECOND]);
});

test('an acceptance waits only for what is left of the rest, and no longer if the clock was set back', async () => {
  const { accept, rests, pass } = shareWith({ utilization: 1, oldestDueAt: 0 });
  await accept(40);
  pass(100);
  await accept(40);
  pass(-3 * SECOND);
  await accept(1);
  expect(rests).toEqual([20, 120]);
});

test.each([
  ['the process has time', { utilization: 0.4, oldestDueAt: 0 }],
  ['deliveries keep up', { utilization: 1, oldestDueAt: 99_900 }],
  ['nothing is waiting', { utilization: 1, oldestDueAt: Number.POSITIVE_INFINITY }],
])('an acceptance does not wait if %s', async (_, facts) => {
  const { accept, rests } = shareWith(facts);
  for (const ms of [40, 10]) await accept(ms);
  expect(rests).toEqual([]);
});

import { expect, test } from 'vitest';
import { createActivity, sumTotals } from './activity.ts';
import { MINUTE } from '../../foundation/clock.ts';
import { manualClock } from '../../../test/support/clock/manualClock.ts';

const POLICY = {
  notificationAttempts: 3,
  notificationTimeOutInSeconds: 10,
  notificationElapsedTimeInSeconds: 5,
  daysInPast: 5,
  numberOfFailures: 5,
};

test('what an inactive webhook has not sent is held, and all counts add up', () => {
  const active = { isActive: true, webhooks: 2, accepted: 10, delivered: 6, failed: 1, discarded: 0 };
  const inactive = { isActive: false, webhooks: 1, accepted: 5, delivered: 1, failed: 1, discarded: 1 };
  expect(sumTotals([active, inactive])).toEqual({
    webhooks: 3,
    inactive: 1,
    accepted: 15,
    delivered: 7,
    pending: 3,
    held: 2,
    failed: 2,
    discarded: 1,
  });
});

test('minutes that are over are counted once, and the present one each time', async () => {
  const clock = manualClock();
  const present = Math.floor(clock.now() / MINUTE) * MINUTE;
  const asked: number[] = [];
  let count = 1;
  const store = {
    totals: async () => [],
    sealedWith: async () => [],
    failingWebhooks: async () => [],
    async settledPerMinute(from: number) {
      asked.push(from);
      return [{ at: present, state: 'delivered' as const, count }];
    },
  };
  const activity = createActivity({ store, clock, policy: async () => POLICY });
  const first = await activity.perMinute();
  expect([first.length, first.at(-1)]).toEqual([60, { at: present, delivered: 1, failed: 0 }]);
  count = 3;
  expect((await activity.perMinute()).at(-1)).toEqual({ at: present, delivered: 3, failed: 0 });
  expect(asked).toEqual([present - 59 * MINUTE, present - MINUTE]);
});

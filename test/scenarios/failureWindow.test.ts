import fc from 'fast-check';
import { expect, test } from 'vitest';
import { releasePace } from '../../src/webhooks/delivery/releasePace.ts';
import { DAY } from '../../src/foundation/clock.ts';
import type { Store } from '../../src/store/store.ts';
import { afterFailures } from '../../src/webhooks/subscriptions/webhook.ts';
import type { FinishedAttempt, ClaimedDelivery } from '../../src/webhooks/ports/webhookStore.ts';
import { BY, SERVICE, createWebhookReplica } from '../support/webhooks/webhookReplica.ts';
import { manualClock } from '../support/clock/manualClock.ts';
import { BROKEN } from '../support/webhooks/scriptedReceiver.ts';
import { eachStore, placeForEachTest } from '../support/store/stores.ts';

interface Policy {
  readonly numberOfFailures: number;
  readonly daysInPast: number;
}

/** WIN3 and WIN4 on a plain list of days; if the clock is set back far, the window starts again (DEC37). */
function model() {
  let [seen, start]: [number[], number | undefined] = [[], undefined];
  return {
    clear: () => ([seen, start] = [[], undefined]),
    fail(day: number, { daysInPast, numberOfFailures }: Policy): { count: number; deactivates: boolean } {
      if (start === undefined || Math.abs(day - start) >= daysInPast) {
        seen = seen.filter((one) => one <= day);
        start = day;
      }
      seen.push(day);
      const [from, to] = [start - daysInPast + 1, start + daysInPast - 1];
      const count = seen.filter((one) => one >= from && one <= to).length;
      return { count, deactivates: count >= numberOfFailures };
    },
  };
}

const policies = fc.record({
  numberOfFailures: fc.integer({ min: 1, max: 9 }),
  daysInPast: fc.integer({ min: 1, max: 6 }),
});
const steps = fc.array(
  fc.record({
    days: fc.integer({ min: -3, max: 5 }),
    atOnce: fc.integer({ min: 1, max: 6 }),
    policy: fc.option(policies, { freq: 4 }),
  }),
  { minLength: 1, maxLength: 12 },
);

const RULES = { verdict: () => ({ kind: 'failed' as const }), pause: () => undefined, afterFailures };

eachStore((kind) => {
  const at = placeForEachTest(kind);

  test('[WIN3] [WIN4] [WIN5] the failure window agrees with its model when deliveries fail on several replicas, the policy changes and the clock is set', async () => {
    const clock = manualClock(Date.UTC(2026, 5, 1, 12));
    const one = await at.open(clock);
    const two = kind.engine === 'postgres' ? await at.open(clock) : one;
    const replica = createWebhookReplica(one, clock);
    const began = clock.now();

    async function claimAll(webhook: number): Promise<readonly ClaimedDelivery[]> {
      const wanted = { now: clock.now() + DAY, leaseUntil: clock.now() + 2 * DAY, owner: 'x', pace: releasePace(50) };
      return (await one.webhooks.claim({ ...wanted, quotas: [{ number: webhook, limit: 100 }] })).claimed;
    }

    const failed = (claimed: ClaimedDelivery): FinishedAttempt => ({
      ...claimed,
      url: '',
      startedAt: clock.now(),
      endedAt: clock.now(),
      outcome: BROKEN,
    });

    await fc.assert(
      fc.asyncProperty(policies, steps, async (first, taken) => {
        const expected = model();
        let [policy, day] = [first, Math.floor(clock.now() / DAY)];
        const rest = {
          notificationAttempts: 1,
          notificationTimeOutInSeconds: undefined,
          notificationElapsedTimeInSeconds: undefined,
        };
        await replica.webhooks.changePolicy(BY, { ...rest, ...policy });
        const id = await replica.subscribe();
        for (const step of taken) {
          if (step.policy !== null) await replica.webhooks.changePolicy(BY, { ...rest, ...(policy = step.policy) });
          clock.advance(step.days * DAY);
          day = Math.floor(clock.now() / DAY);
          await replica.publish(step.atOnce);
          const [number = 0] = [...(await one.webhooks.dueTimes()).keys()];
          const claimed = await claimAll(number);
          expect(claimed).toHaveLength(step.atOnce);
          const half = Math.ceil(claimed.length / 2);
          const parts: readonly (readonly [Store, readonly ClaimedDelivery[]])[] = [
            [one, claimed.slice(0, half)],
            [two, claimed.slice(half)],
          ];
          await Promise.all(parts.map(([store, part]) => store.webhooks.settle('x', part.map(failed), RULES)));
          const verdicts = claimed.map(() => expected.fail(day, policy));
          const { webhook, window } = await replica.webhooks.show(SERVICE, id);
          expect(window?.failures).toBe(verdicts.at(-1)?.count);
          expect(webhook.active).toBe(!verdicts.some(({ deactivates }) => deactivates));
          if (webhook.active) continue;
          await replica.webhooks.activate(BY, SERVICE, id, 'discard');
          expected.clear();
        }
        await replica.webhooks.remove(BY, SERVICE, id);
        clock.advance(began - clock.now());
      }),
      { numRuns: kind.engine === 'postgres' ? 15 : 60 },
    );
  });
});

import { afterEach, beforeEach } from 'vitest';
import type { Loop } from '../../../src/foundation/flow/loop.ts';
import { silentLog } from '../../../src/foundation/log.ts';
import { startJobRunner } from '../../../src/jobs/jobRunner.ts';
import type { Store } from '../../../src/store/store.ts';
import type { Courier } from '../../../src/webhooks/delivery/courier.ts';
import type { WebhookReplica } from './webhookReplica.ts';
import { BY, createWebhookReplica } from './webhookReplica.ts';
import type { ManualClock } from '../clock/manualClock.ts';
import { manualClock } from '../clock/manualClock.ts';
import { BROKEN, OK } from './scriptedReceiver.ts';
import type { StoreKind } from '../store/stores.ts';
import { placeForEachTest } from '../store/stores.ts';

interface Made {
  readonly clock: ManualClock;
  readonly store: Store;
  readonly replica: WebhookReplica;
}

/** One attempt for each delivery, and no deactivation. */
export const ONE_ATTEMPT = {
  notificationAttempts: 1,
  notificationTimeOutInSeconds: undefined,
  notificationElapsedTimeInSeconds: undefined,
  daysInPast: undefined,
  numberOfFailures: 100_000,
};

/** Makes a clock, a store and the webhooks of one replica for each test of the surrounding suite, and stops its couriers after it. */
export function replicaForEachTest(kind: StoreKind, begin: (made: Made) => void) {
  const at = placeForEachTest(kind);
  const couriers: Courier[] = [];
  let made: Made;

  beforeEach(async () => {
    const clock = manualClock(Date.now());
    const store = await at.open(clock);
    made = { clock, store, replica: createWebhookReplica(store, clock) };
    begin(made);
  });
  const stopAll = (): Promise<void> => made.replica.stop(...couriers.splice(0));
  afterEach(stopAll);

  const start = (one = made.replica): void => void couriers.push(one.start());
  const isQuiet =
    (id: string, one = made.replica) =>
    async () =>
      (await one.ledger(id))['pending'] === 0;

  return {
    at,
    start,
    stopAll,
    isQuiet,

    /** Makes this number of failed deliveries; afterwards the receiver works again and no courier runs. */
    async failAll(id: string, count: number): Promise<void> {
      const { replica } = made;
      await replica.webhooks.changePolicy(BY, ONE_ATTEMPT);
      replica.receiver.answerWith(() => BROKEN);
      start();
      await replica.publish(count);
      await replica.until(isQuiet(id));
      await stopAll();
      replica.receiver.answerWith(() => OK);
    },

    runJobs: (owner: string): Loop =>
      startJobRunner({
        store: made.store.jobs,
        kinds: made.replica.webhooks.jobKinds,
        clock: made.clock,
        log: silentLog,
        owner,
      }),
  };
}

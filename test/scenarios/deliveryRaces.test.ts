import { expect, test } from 'vitest';
import { longestWaits } from '../../src/webhooks/delivery/attemptRules.ts';
import { releasePace } from '../../src/webhooks/delivery/releasePace.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../src/foundation/clock.ts';
import type { Store } from '../../src/store/store.ts';
import { ONE_ATTEMPT, replicaForEachTest } from '../support/webhooks/replicaForEachTest.ts';
import type { WebhookReplica } from '../support/webhooks/webhookReplica.ts';
import { BY, SERVICE, createWebhookReplica } from '../support/webhooks/webhookReplica.ts';
import type { ManualClock } from '../support/clock/manualClock.ts';
import { BROKEN, OK } from '../support/webhooks/scriptedReceiver.ts';
import { eachStore, rowsOf } from '../support/store/stores.ts';

eachStore((kind) => {
  let clock: ManualClock;
  let store: Store;
  let replica: WebhookReplica;
  const { at, start, isQuiet, failAll, runJobs } = replicaForEachTest(kind, (made) => {
    ({ clock, store, replica } = made);
  });

  test('[WHK12] a delivery that is sent again while it is pruned is removed or delivered, and the ledger adds up', async () => {
    const id = await replica.subscribe();
    await failAll(id, 100);
    clock.advance(31 * DAY);
    const ids = (await rowsOf(at.place(), 'delivery')).map((one) => Number(one['id']));
    const again = ids.map((one) =>
      replica.webhooks.redeliver(BY, SERVICE, id, one).then(
        () => true,
        () => false,
      ),
    );
    const pruning = Promise.all([1, 2, 3].map(() => store.webhooks.prune(clock.now() - 30 * DAY, 40)));
    const accepted = (await Promise.all(again)).filter((one) => one).length;
    await pruning;
    const rows = await rowsOf(at.place(), 'delivery');
    expect(rows.filter(({ state }) => state === 'pending')).toHaveLength(accepted);
    expect(await replica.ledger(id)).toMatchObject({ pending: accepted, failed: 100 - accepted });
    start();
    await replica.until(isQuiet(id));
    expect(await replica.ledger(id)).toMatchObject({ delivered: accepted });
  });

  test('[WHK10] a discard stops when the webhook is activated, and removes deliveries that a dead process has leased', async () => {
    const id = await replica.subscribe();
    await replica.publish(5);
    const [number = 0] = [...(await store.webhooks.dueTimes()).keys()];
    await store.webhooks.claim({
      now: clock.now(),
      leaseUntil: clock.now() + SECOND,
      owner: 'dead',
      pace: releasePace(50),
      quotas: [{ number, limit: 5 }],
    });
    await replica.webhooks.deactivate(BY, SERVICE, id);
    clock.advance(MINUTE);
    expect(await store.webhooks.discardPending(id, 500)).toBe(5);
    await replica.publish(3);
    await replica.webhooks.activate(BY, SERVICE, id, 'release');
    expect(await store.webhooks.discardPending(id, 500)).toBe(0);
    expect(await replica.ledger(id)).toMatchObject({ discarded: 5, pending: 3 });
  });

  test('[WHK11] a release ends when every held delivery was tried once, even if a retry waits for a day', async () => {
    const id = await replica.subscribe();
    await replica.webhooks.changePolicy(BY, {
      ...ONE_ATTEMPT,
      notificationAttempts: 2,
      notificationElapsedTimeInSeconds: 86_400,
    });
    await replica.publish(20);
    await replica.webhooks.deactivate(BY, SERVICE, id);
    replica.receiver.answerWith(() => (replica.receiver.sent.length === 1 ? BROKEN : OK));
    await replica.webhooks.activate(BY, SERVICE, id, 'release');
    start();
    await replica.until(async () => (await replica.ledger(id))['delivered'] === 19, 20);
    const began = clock.now();
    await replica.publish(200);
    await replica.until(async () => (await replica.ledger(id))['delivered'] === 219, 10);
    expect(clock.now() - began).toBeLessThan(3 * SECOND);
  });

  test('[WHK7] a clock that is set back does not stop the courier', async () => {
    const id = await replica.subscribe();
    await failAll(id, 1);
    start();
    await replica.run(SECOND);
    clock.advance(-HOUR);
    await replica.webhooks.redeliver(BY, SERVICE, id, 1);
    await replica.until(isQuiet(id));
    expect(await replica.ledger(id)).toMatchObject({ delivered: 1 });
  });

  test('[WHK7] a retry that begins to wait while another replica starts is not earlier than the policy', async () => {
    const id = await replica.subscribe();
    await replica.webhooks.changePolicy(BY, {
      ...ONE_ATTEMPT,
      notificationAttempts: 2,
      notificationElapsedTimeInSeconds: 1,
    });
    replica.receiver.answerWith(() => BROKEN);
    const startedAt = clock.now();
    clock.advance(30);
    start();
    await replica.publish(1);
    const dueAt = async (): Promise<number> => Math.max(0, ...(await store.webhooks.dueTimes()).values());
    await replica.until(async () => (await dueAt()) > clock.now(), 1);
    const waits = longestWaits(await replica.webhooks.policy(), 12 * SECOND, SECOND);
    expect(await store.webhooks.clampDueTimes(startedAt, waits, 500)).toBe(0);
    expect(await dueAt()).toBeGreaterThanOrEqual(startedAt + 30 + SECOND);
    await replica.until(isQuiet(id));
    expect(replica.receiver.sent).toHaveLength(2);
  });

  test('[DEC96] a webhook that is removed sends nothing more: its requests are cut, and nothing is said of sending later', async () => {
    const kept = await replica.subscribe();
    const id = await replica.subscribe();
    const removedUrl = (await replica.webhooks.show(SERVICE, id)).webhook.hookUrl;
    replica.receiver.answerWith(({ url }) => (url === removedUrl ? new Promise(() => undefined) : OK));
    start();
    await replica.publish(40);
    await replica.until(isQuiet(kept));
    const sent = replica.receiver.sent.length;
    expect([sent, replica.webhooks.inFlight()]).toEqual([40 + 16, 16]);
    await replica.webhooks.remove(BY, SERVICE, id);
    expect(await clock.until('its requests are cut', replica.webhooks.untilWithdrawn([id]))).toBe(0);
    await replica.run(5 * SECOND);
    expect([replica.receiver.sent.length, replica.webhooks.inFlight(), replica.lines]).toEqual([sent, 0, []]);
    expect(replica.webhooks.counters.read()).toMatchObject({ postponed: 0 });
  });

  test('[DEC96] a test of a webhook that is removed ends with it', async () => {
    const id = await replica.subscribe();
    replica.receiver.answerWith(() => new Promise(() => undefined));
    const testing = replica.webhooks.test(SERVICE, id);
    await replica.until(() => replica.receiver.sent.length === 1);
    await replica.webhooks.remove(BY, SERVICE, id);
    expect(await testing).toMatchObject({ kind: 'unreachable' });
  });

  test('[DEC96] a delivery that is claimed while its webhook is removed is not sent', async () => {
    const id = await replica.subscribe();
    const { claim } = store.webhooks;
    let removing: Promise<void> | undefined;
    Object.assign(store.webhooks, {
      claim: async (request: Parameters<typeof claim>[0]) => {
        const result = await claim(request);
        if (result.claimed.length > 0) await (removing ??= replica.webhooks.remove(BY, SERVICE, id));
        return result;
      },
    });
    start();
    await replica.publish(3);
    await replica.until(() => removing !== undefined);
    expect(await clock.until('its claims are returned', replica.webhooks.untilWithdrawn([id]))).toBe(0);
    expect([replica.receiver.sent, replica.lines]).toEqual([[], []]);
  });

  test('[WHK7] a delivery that could not be sent within its lease is not sent late', async () => {
    const id = await replica.subscribe();
    const { webhooksByNumber } = store.webhooks;
    let isSlow = true;
    // The store takes a minute to answer.
    Object.assign(store.webhooks, {
      webhooksByNumber: async (numbers: readonly number[]) => {
        if (isSlow) clock.advance(MINUTE);
        isSlow = false;
        return webhooksByNumber(numbers);
      },
    });
    start();
    await replica.publish(1);
    await replica.until(isQuiet(id));
    expect(replica.receiver.sent).toHaveLength(1);
    expect(isSlow).toBe(false);
  });

  test('due times that take long to read are read for a fifth of the time, and what another replica accepted is sent', async () => {
    const id = await replica.subscribe();
    const { dueTimes } = store.webhooks;
    let reads = 0;
    Object.assign(store.webhooks, {
      dueTimes: () => {
        reads += 1;
        clock.advance(120);
        return dueTimes();
      },
    });
    start();
    await replica.run(SECOND);
    const [began, readsBefore] = [clock.now(), reads];
    await createWebhookReplica(store, clock).publish(5);
    await replica.run(6 * SECOND);
    expect((reads - readsBefore) * 120).toBeLessThanOrEqual((clock.now() - began) / 5 + 120);
    expect(reads - readsBefore).toBeGreaterThan(5);
    expect(await replica.ledger(id)).toMatchObject({ delivered: 5 });
  });

  test('the webhooks of one claim are read together', async () => {
    const ids = [];
    for (let n = 0; n < 20; n += 1) ids.push(await replica.subscribe());
    const { webhooksByNumber } = store.webhooks;
    let reads = 0;
    Object.assign(store.webhooks, {
      webhooksByNumber: (numbers: readonly number[]) => {
        reads += 1;
        return webhooksByNumber(numbers);
      },
    });
    await replica.publish(3);
    start();
    for (const id of ids) await replica.until(isQuiet(id));
    expect(replica.receiver.sent).toHaveLength(60);
    expect(reads).toBeLessThan(6);
  });

  test('[WHK11] a long job does not keep a short one waiting', async () => {
    const [long, short] = [await replica.subscribe(), await replica.subscribe({}, { ...SERVICE, name: 'B' })];
    await replica.publish(3, { ...SERVICE, name: 'B' });
    await failAll(long, 400);
    await replica.webhooks.redeliverAll(BY, SERVICE, long, 0, false);
    const job = await replica.webhooks.redeliverAll(BY, { ...SERVICE, name: 'B' }, short, 0, false);
    if (typeof job === 'number') throw new Error('it only counted');
    const runner = runJobs('x');
    const began = clock.now();
    await replica.until(async () => (await store.jobs.job(job.id))?.state === 'succeeded', 20);
    expect(clock.now() - began).toBeLessThan(3 * SECOND);
    const stopping = runner.stop();
    await replica.run(SECOND);
    await stopping;
  });
});

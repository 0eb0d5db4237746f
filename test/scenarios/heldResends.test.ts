import { expect, test } from 'vitest';
import { MINUTE, SECOND } from '../../src/foundation/clock.ts';
import { createJobs } from '../../src/jobs/jobs.ts';
import type { Store } from '../../src/store/store.ts';
import { WINDOW } from '../../src/store/webhooks/deliverySearch.ts';
import { releasePace } from '../../src/webhooks/delivery/releasePace.ts';
import { afterAttempt, pauseAfter } from '../../src/webhooks/delivery/attemptRules.ts';
import type { AttemptOutcome } from '../../src/webhooks/ports/receiver.ts';
import { afterFailures } from '../../src/webhooks/subscriptions/webhook.ts';
import type { ManualClock } from '../support/clock/manualClock.ts';
import { eachStore, rowsOf } from '../support/store/stores.ts';
import { ONE_ATTEMPT, replicaForEachTest } from '../support/webhooks/replicaForEachTest.ts';
import { BROKEN, OK } from '../support/webhooks/scriptedReceiver.ts';
import type { WebhookReplica } from '../support/webhooks/webhookReplica.ts';
import { BY, SERVICE, createWebhookReplica } from '../support/webhooks/webhookReplica.ts';

const GONE: AttemptOutcome = { kind: 'refused', status: 410, reason: 'gone', durationMs: 1, answer: '' };

eachStore((kind) => {
  let clock: ManualClock;
  let store: Store;
  let replica: WebhookReplica;
  const { at, start, stopAll, isQuiet, failAll, runJobs } = replicaForEachTest(kind, (made) => {
    ({ clock, store, replica } = made);
  });

  const delivery = async (id: string, number: number) =>
    (await replica.webhooks.delivery(SERVICE, id, number)).delivery;
  const isIdle = (id: string, number: number) => async () => !(await delivery(id, number)).isUnderWay;
  const isActive = async (id: string) => (await replica.webhooks.show(SERVICE, id)).webhook.active;
  const redeliver = (id: string, number: number) => replica.webhooks.redeliver(BY, SERVICE, id, number);
  const attemptNumbers = () => replica.receiver.sent.map(({ headers }) => headers['webhook-attempt']);

  /** Makes a deactivated webhook that holds this number of deliveries, with the ids 1, 2 and so on. */
  async function holding(count: number, policy = {}, details = {}): Promise<string> {
    const id = await replica.subscribe({ active: false, ...details });
    await replica.webhooks.changePolicy(BY, { ...ONE_ATTEMPT, numberOfFailures: 1, ...policy });
    await replica.publish(count);
    return id;
  }

  async function resendHeld(id: string, since = 0): Promise<string> {
    const job = await replica.webhooks.redeliverHeld(BY, SERVICE, id, since, false);
    return typeof job === 'number' ? Promise.reject(new Error('it only counted')) : job.id;
  }

  /** Runs a job to its end, and everything that it has requested. */
  async function runToEnd(job: string, id: string): Promise<void> {
    const runner = runJobs('runner');
    await replica.until(async () => (await store.jobs.job(job))?.state !== 'running', 20);
    const stopping = runner.stop();
    await replica.run(2 * SECOND);
    await stopping;
    expect(await rowsOf(at.place(), 'queue where sent_while_inactive <> 0 or owner is not null')).toEqual([]);
    expect(await isActive(id)).toBe(false);
  }

  test('[WHK11] [WHK15] a held delivery is sent by its id, the others stay held, and the webhook stays deactivated', async () => {
    const id = await holding(3);
    start();
    await redeliver(id, 2);
    expect(await delivery(id, 2)).toMatchObject({ isHeld: true, isUnderWay: true, dueAt: clock.now() });
    await replica.until(isIdle(id, 2));
    await replica.run(5 * SECOND);
    expect(replica.receiver.sent).toHaveLength(1);
    expect(await delivery(id, 2)).toMatchObject({ state: 'delivered', isHeld: false, attempts: 1, dueAt: undefined });
    expect(await delivery(id, 1)).toMatchObject({ isHeld: true, isUnderWay: false, attempts: 0, dueAt: undefined });
    expect(await replica.ledger(id)).toMatchObject({ accepted: 3, delivered: 1, held: 2, failed: 0, discarded: 0 });
    expect(await isActive(id)).toBe(false);
    const notes = (await rowsOf(at.place(), 'audit')).filter(({ action }) => action === 'webhook.redeliver');
    expect(notes).toHaveLength(1);
  });

  test('[WHK11] a held delivery that is sent again and fails uses all its attempts, stays held, and counts nowhere', async () => {
    const id = await holding(1, { notificationAttempts: 2, notificationElapsedTimeInSeconds: 5 });
    replica.receiver.answerWith(() => BROKEN);
    start();
    const began = clock.now();
    for (const attempts of [2, 4]) {
      await redeliver(id, 1);
      await expect(redeliver(id, 1)).rejects.toThrow('is still pending');
      await replica.until(isIdle(id, 1));
      expect(await delivery(id, 1)).toMatchObject({ isHeld: true, attempts, dueAt: undefined, settledAt: undefined });
    }
    expect(clock.now() - began).toBeGreaterThanOrEqual(10 * SECOND);
    expect(attemptNumbers()).toStrictEqual(['1', '2', '3', '4']);
    expect(await replica.ledger(id)).toMatchObject({ accepted: 1, held: 1, failed: 0, delivered: 0 });
    expect((await replica.webhooks.show(SERVICE, id)).window).toBeUndefined();
    expect(await replica.webhooks.preview({ numberOfFailures: 1 })).toStrictEqual([]);
    // Activation releases it like every held delivery: with all its attempts, and its failure counts.
    await replica.webhooks.activate(BY, SERVICE, id, 'release');
    await replica.until(async () => !(await isActive(id)));
    expect(await delivery(id, 1)).toMatchObject({ state: 'failed', attempts: 6 });
  });

  test('[WHK11] [WHK7] a held delivery whose sender dies before the result is sent after its lease, and a late result changes nothing', async () => {
    const id = await holding(2);
    await redeliver(id, 1);
    const [number = 0] = [...(await store.webhooks.dueTimes()).keys()];
    const claim = { now: clock.now(), leaseUntil: clock.now() + 20 * SECOND, owner: 'dead', pace: releasePace(50) };
    const { claimed } = await store.webhooks.claim({ ...claim, quotas: [{ number, limit: 5 }] });
    expect(claimed).toMatchObject([{ delivery: 1, attempts: 0 }]);
    await expect(redeliver(id, 1)).rejects.toThrow('is still pending');
    start();
    await replica.run(15 * SECOND);
    expect(replica.receiver.sent).toHaveLength(0);
    await replica.until(isIdle(id, 1));
    expect(attemptNumbers()).toStrictEqual(['1']);
    const late = claimed.map((one) => ({ ...one, url: 'u', startedAt: 1, endedAt: clock.now(), outcome: BROKEN }));
    const rules = { verdict: afterAttempt, pause: pauseAfter, afterFailures };
    expect((await store.webhooks.settle('dead', late, rules)).settled).toMatchObject([{ verdict: 'lost' }]);
    expect(await replica.ledger(id)).toMatchObject({ accepted: 2, delivered: 1, held: 1, failed: 0 });
  });

  test('[WHK11] a held delivery that two replicas are asked to send at once is sent once', async () => {
    const id = await holding(1);
    const other = createWebhookReplica(kind.engine === 'postgres' ? await at.open(clock) : store, clock);
    const both = await Promise.allSettled([redeliver(id, 1), other.webhooks.redeliver(BY, SERVICE, id, 1)]);
    expect(both.map(({ status }) => status).toSorted()).toStrictEqual(['fulfilled', 'rejected']);
    expect(String(both.find((one) => one.status === 'rejected')?.reason)).toContain('is still pending');
    for (const one of [replica, other]) start(one);
    await replica.until(isIdle(id, 1));
    await replica.run(2 * SECOND);
    expect(replica.receiver.sent.length + other.receiver.sent.length).toBe(1);
    expect(await replica.ledger(id)).toMatchObject({ accepted: 1, delivered: 1, held: 0 });
  });

  test('[WHK11] all deliveries held since a time are sent by a job that keeps the pace and survives its runner', async () => {
    const id = await holding(10);
    clock.advance(MINUTE);
    const since = clock.now();
    await replica.publish(110);
    expect(await replica.webhooks.redeliverHeld(BY, SERVICE, id, 0, true)).toBe(120);
    expect(await replica.webhooks.redeliverHeld(BY, SERVICE, id, since, true)).toBe(110);
    const job = await resendHeld(id, since);
    for (const again of [replica.webhooks.redeliverHeld, replica.webhooks.redeliverAll])
      await expect(again(BY, SERVICE, id, 0, false)).rejects.toThrow(`${job} is already sending the held deliveries`);
    start();
    const began = clock.now();
    const first = runJobs('first');
    await replica.until(async () => ((await store.jobs.job(job))?.done ?? 0) >= 50, 20);
    expect(clock.now() - began).toBeGreaterThan(400);
    const stopping = first.stop();
    await replica.run(SECOND);
    await stopping;
    await replica.publish(7);
    await runToEnd(job, id);
    expect(await store.jobs.job(job)).toMatchObject({ state: 'succeeded', done: 110, total: 110 });
    expect(replica.receiver.sent).toHaveLength(110);
    expect(await replica.ledger(id)).toMatchObject({ accepted: 127, delivered: 110, held: 17, failed: 0 });
    expect(await delivery(id, 10)).toMatchObject({ isHeld: true, attempts: 0 });
  });

  test('[WHK11] a job whose deliveries all fail tries each once, and all stay held', async () => {
    const id = await holding(60);
    replica.receiver.answerWith(() => BROKEN);
    start();
    await runToEnd(await resendHeld(id), id);
    expect(replica.receiver.sent).toHaveLength(60);
    expect(await replica.ledger(id)).toMatchObject({ accepted: 60, held: 60, failed: 0 });
  });

  test('[WHK11] a job finds held deliveries that come after more ended ones than one step looks at', async () => {
    const id = await holding(WINDOW + 5);
    await replica.webhooks.activate(BY, SERVICE, id, 'discard');
    await replica.webhooks.deactivate(BY, SERVICE, id);
    await replica.publish(3);
    start();
    const job = await resendHeld(id);
    await runToEnd(job, id);
    expect(await store.jobs.job(job)).toMatchObject({ state: 'succeeded', done: 3, total: 3 });
    expect(await replica.ledger(id)).toMatchObject({ delivered: 3, held: 0, discarded: WINDOW + 5 });
  });

  test('[WHK11] a cancelled job leaves the deliveries held that it has not reached', async () => {
    const id = await holding(110);
    const jobs = createJobs({ store: store.jobs, controls: {} });
    const job = await resendHeld(id);
    start();
    const runner = runJobs('runner');
    await replica.until(async () => (await jobs.find(job)).done > 0, 20);
    await jobs.control(BY, job, 'cancel');
    await replica.until(async () => (await jobs.find(job)).state === 'cancelled', 20);
    await replica.run(2 * SECOND);
    await runner.stop();
    const { done } = await jobs.find(job);
    expect(done).toBeLessThan(110);
    expect(await replica.ledger(id)).toMatchObject({ delivered: done, held: 110 - done });
  });

  test('[WHK11] [WHK10] a job ends when the webhook is activated, and a later deactivation holds what it has not sent', async () => {
    const id = await holding(110);
    const job = await resendHeld(id);
    const runner = runJobs('runner');
    await replica.until(async () => ((await store.jobs.job(job))?.done ?? 0) > 0, 20);
    await replica.webhooks.activate(BY, SERVICE, id, 'release');
    await replica.webhooks.deactivate(BY, SERVICE, id);
    await replica.until(async () => (await store.jobs.job(job))?.state === 'succeeded', 20);
    start();
    const stopping = runner.stop();
    await replica.run(5 * SECOND);
    await stopping;
    expect(replica.receiver.sent).toHaveLength(0);
    expect(await replica.ledger(id)).toMatchObject({ accepted: 110, held: 110 });
    await replica.webhooks.activate(BY, SERVICE, id, 'release');
    await replica.until(isQuiet(id), 20);
    expect(await replica.ledger(id)).toMatchObject({ delivered: 110 });
    expect(replica.receiver.sent).toHaveLength(110);
  });

  test('[WHK11] [WHK10] a held delivery that is being sent when the webhook is activated is not lost, and waits for its next attempt', async () => {
    const id = await holding(1, { numberOfFailures: 100, notificationElapsedTimeInSeconds: 5 });
    let answer: (outcome: AttemptOutcome) => void = () => {};
    replica.receiver.answerWith(() => new Promise((resolve) => (answer = resolve)));
    start();
    await redeliver(id, 1);
    await replica.until(() => replica.receiver.sent.length === 1);
    await replica.webhooks.activate(BY, SERVICE, id, 'release');
    const began = clock.now();
    answer(BROKEN);
    await replica.until(() => replica.receiver.sent.length === 2);
    expect(clock.now() - began).toBeGreaterThanOrEqual(5 * SECOND);
    answer(OK);
    await replica.until(isQuiet(id));
    expect(attemptNumbers()).toStrictEqual(['1', '2']);
    expect(await replica.ledger(id)).toMatchObject({ accepted: 1, delivered: 1, failed: 0 });
  });

  test('[WHK11] failed deliveries of a deactivated webhook are sent again, one and all, and fail again', async () => {
    const id = await replica.subscribe();
    await failAll(id, 30);
    await replica.webhooks.deactivate(BY, SERVICE, id);
    await replica.publish(2);
    start();
    await redeliver(id, 1);
    await replica.until(isIdle(id, 1));
    expect(await replica.ledger(id)).toMatchObject({ delivered: 1, failed: 29, held: 2 });
    replica.receiver.answerWith(() => BROKEN);
    const job = await replica.webhooks.redeliverAll(BY, SERVICE, id, 0, false);
    await runToEnd(typeof job === 'number' ? '' : job.id, id);
    expect(replica.receiver.sent).toHaveLength(60);
    expect(await replica.ledger(id)).toMatchObject({ accepted: 32, delivered: 1, failed: 29, held: 2 });
  });

  test('[WHK10] [WHK11] failed deliveries that are being sent again are held when the webhook is deactivated, and can be sent', async () => {
    const id = await replica.subscribe();
    await failAll(id, 60);
    const job = await replica.webhooks.redeliverAll(BY, SERVICE, id, 0, false);
    await replica.webhooks.deactivate(BY, SERVICE, id);
    start();
    await runToEnd(typeof job === 'number' ? '' : job.id, id);
    expect(replica.receiver.sent).toHaveLength(60);
    expect(await replica.ledger(id)).toMatchObject({ failed: 0, held: 60 });
    await runToEnd(await resendHeld(id), id);
    expect(await replica.ledger(id)).toMatchObject({ delivered: 60, held: 0 });
  });

  test('[WHK11] [WHK6] a held delivery whose receiver answers 410 stays held', async () => {
    const id = await holding(1, { notificationAttempts: 3 }, { receiverSignals: true });
    replica.receiver.answerWith(() => GONE);
    start();
    await redeliver(id, 1);
    await replica.until(isIdle(id, 1));
    expect(await delivery(id, 1)).toMatchObject({ isHeld: true, attempts: 1 });
    expect(await replica.ledger(id)).toMatchObject({ held: 1, failed: 0 });
  });

  test('[WHK11] [WHK16] a held delivery that Steward itself cannot send is sent later, and no attempt is counted', async () => {
    const id = await holding(1);
    let isShort = true;
    const lack = { kind: 'notSent', reason: 'no file descriptors', durationMs: 0, answer: '' } as const;
    replica.receiver.answerWith(() => (isShort ? lack : OK));
    start();
    await redeliver(id, 1);
    await replica.until(() => replica.receiver.sent.length === 2);
    isShort = false;
    await replica.until(isIdle(id, 1));
    expect(await delivery(id, 1)).toMatchObject({ state: 'delivered', attempts: 1 });
  });

  test('[WHK11] a discard and a deletion end a resend that has not been sent', async () => {
    const [discarded, deleted] = [await holding(1), await replica.subscribe({ active: false })];
    await replica.publish(1);
    await redeliver(discarded, 1);
    await redeliver(deleted, 3);
    await replica.webhooks.activate(BY, SERVICE, discarded, 'discard');
    await replica.webhooks.remove(BY, SERVICE, deleted);
    start();
    await replica.run(5 * SECOND);
    expect(replica.receiver.sent).toHaveLength(0);
    expect(await replica.ledger(discarded)).toMatchObject({ accepted: 2, discarded: 2, pending: 0 });
    await stopAll();
  });
});

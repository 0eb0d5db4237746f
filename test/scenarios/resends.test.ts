import { expect, test } from 'vitest';
import { DAY, HOUR, MINUTE, SECOND } from '../../src/foundation/clock.ts';
import type { Store } from '../../src/store/store.ts';
import type { AttemptOutcome } from '../../src/webhooks/ports/receiver.ts';
import { ONE_ATTEMPT, replicaForEachTest } from '../support/webhooks/replicaForEachTest.ts';
import type { WebhookReplica } from '../support/webhooks/webhookReplica.ts';
import { BY, SERVICE } from '../support/webhooks/webhookReplica.ts';
import type { ManualClock } from '../support/clock/manualClock.ts';
import { BROKEN, OK } from '../support/webhooks/scriptedReceiver.ts';
import { eachStore, rowsOf } from '../support/store/stores.ts';

const GONE: AttemptOutcome = { kind: 'refused', status: 410, reason: 'gone', durationMs: 1, answer: '' };

eachStore((kind) => {
  let clock: ManualClock;
  let store: Store;
  let replica: WebhookReplica;
  const { at, start, stopAll, isQuiet } = replicaForEachTest(kind, (made) => {
    ({ clock, store, replica } = made);
  });

  const delivery = async (id: string, number = 1) => (await replica.webhooks.delivery(SERVICE, id, number)).delivery;
  const isIdle = (id: string) => async () => !(await delivery(id)).isUnderWay;
  const inState = async (id: string, state: 'pending' | 'delivered' | 'held') => {
    const query = { webhook: id, state, from: undefined, to: undefined, before: undefined, limit: 10 };
    return (await replica.webhooks.deliveries(SERVICE, query)).deliveries.length;
  };

  /** Makes one delivered delivery. */
  async function delivered(policy = {}, details = {}): Promise<string> {
    const id = await replica.subscribe(details);
    await replica.webhooks.changePolicy(BY, { ...ONE_ATTEMPT, numberOfFailures: 1, ...policy });
    start();
    await replica.publish(1);
    await replica.until(isQuiet(id));
    return id;
  }

  test('[WHK11] a delivered delivery that is sent again and fails stays delivered, with its attempts, and counts nowhere', async () => {
    const id = await delivered({ notificationAttempts: 2 });
    const { settledAt } = await delivery(id);
    const ledger = await replica.ledger(id);
    replica.receiver.answerWith(() => BROKEN);
    clock.advance(MINUTE);
    await replica.webhooks.redeliver(BY, SERVICE, id, 1);
    expect(await delivery(id)).toMatchObject({ state: 'delivered', isUnderWay: true, isHeld: false, settledAt });
    expect(await replica.ledger(id)).toStrictEqual(ledger);
    expect([await inState(id, 'delivered'), await inState(id, 'pending')]).toStrictEqual([1, 0]);
    await expect(replica.webhooks.redeliver(BY, SERVICE, id, 1)).rejects.toThrow('is still pending');
    await replica.until(isIdle(id));
    expect(await delivery(id)).toMatchObject({ state: 'delivered', attempts: 3, settledAt, dueAt: undefined });
    expect(await replica.ledger(id)).toStrictEqual(ledger);
    const { webhook, window } = await replica.webhooks.show(SERVICE, id);
    expect([webhook.active, window]).toStrictEqual([true, undefined]);
    const { attempts } = await replica.webhooks.delivery(SERVICE, id, 1);
    expect(attempts.map((one) => one.kind)).toStrictEqual(['accepted', 'refused', 'refused']);
    expect(await replica.webhooks.preview({ numberOfFailures: 1 })).toStrictEqual([]);
  });

  test('[WHK11] a delivered delivery that is sent again and arrives counts once, also if no courier runs when it is requested', async () => {
    const id = await delivered();
    await stopAll();
    await replica.webhooks.redeliver(BY, SERVICE, id, 1);
    start();
    await replica.until(isIdle(id));
    expect(await replica.ledger(id)).toMatchObject({ accepted: 1, delivered: 1, pending: 0, failed: 0 });
    expect(await rowsOf(at.place(), 'delivery')).toMatchObject([{ state: 'delivered' }]);
    expect(await rowsOf(at.place(), 'queue')).toEqual([]);
  });

  test('[WHK11] a delivered delivery is sent again while the webhook is deactivated, and stays delivered', async () => {
    const id = await delivered();
    const sent = replica.receiver.sent.length;
    await replica.webhooks.deactivate(BY, SERVICE, id);
    replica.receiver.answerWith(() => BROKEN);
    await replica.webhooks.redeliver(BY, SERVICE, id, 1);
    await replica.until(isIdle(id));
    expect(replica.receiver.sent).toHaveLength(sent + 1);
    expect(await delivery(id)).toMatchObject({ state: 'delivered', isHeld: false, attempts: 2 });
    expect(await replica.ledger(id)).toMatchObject({ accepted: 1, delivered: 1, held: 0 });
  });

  test('[WHK11] a resend of a delivered delivery waits if the webhook is deactivated after it, and a discard ends it', async () => {
    const id = await delivered();
    const sent = replica.receiver.sent.length;
    await stopAll();
    await replica.webhooks.redeliver(BY, SERVICE, id, 1);
    await replica.webhooks.deactivate(BY, SERVICE, id);
    start();
    await replica.run(5 * SECOND);
    expect(await replica.ledger(id)).toMatchObject({ accepted: 1, delivered: 1, held: 0 });
    expect(await inState(id, 'held')).toBe(0);
    await replica.webhooks.activate(BY, SERVICE, id, 'discard');
    await replica.run(5 * SECOND);
    expect(await delivery(id)).toMatchObject({ state: 'delivered', isUnderWay: false });
    expect(replica.receiver.sent).toHaveLength(sent);
    expect(await replica.ledger(id)).toMatchObject({ accepted: 1, delivered: 1, discarded: 0 });
  });

  test('[WHK11] a delivered delivery that is being sent again is not pruned', async () => {
    const id = await delivered();
    await stopAll();
    await replica.webhooks.redeliver(BY, SERVICE, id, 1);
    await store.webhooks.prune(clock.now() + DAY, 100);
    expect(await delivery(id)).toMatchObject({ state: 'delivered' });
  });

  test('[WHK11] [WHK6] a receiver that answers 410 to a resend is deactivated, and the delivery stays delivered', async () => {
    const id = await delivered({}, { receiverSignals: true });
    replica.receiver.answerWith(() => GONE);
    await replica.webhooks.redeliver(BY, SERVICE, id, 1);
    await replica.until(isIdle(id));
    expect((await replica.webhooks.show(SERVICE, id)).webhook.active).toBe(false);
    expect(await replica.ledger(id)).toMatchObject({ delivered: 1, failed: 0 });
  });

  test('[WHK11] a discarded delivery that is sent again and fails is failed, and does not count into the window', async () => {
    const id = await replica.subscribe({ active: false });
    await replica.webhooks.changePolicy(BY, { ...ONE_ATTEMPT, numberOfFailures: 1 });
    await replica.publish(1);
    await replica.webhooks.activate(BY, SERVICE, id, 'discard');
    replica.receiver.answerWith(() => BROKEN);
    start();
    await replica.webhooks.redeliver(BY, SERVICE, id, 1);
    await replica.until(isIdle(id));
    expect(await replica.ledger(id)).toMatchObject({ accepted: 1, failed: 1, discarded: 0, pending: 0 });
    expect((await replica.webhooks.show(SERVICE, id)).webhook.active).toBe(true);
  });

  test('[WHK10] a delivery that waits for its retry is sent at once when the webhook is activated', async () => {
    const id = await replica.subscribe();
    await replica.webhooks.changePolicy(BY, {
      ...ONE_ATTEMPT,
      notificationAttempts: 2,
      notificationElapsedTimeInSeconds: 86_400,
    });
    replica.receiver.answerWith(() => BROKEN);
    start();
    await replica.publish(3);
    await replica.until(() => replica.receiver.sent.length === 3);
    await replica.run(SECOND);
    await replica.webhooks.deactivate(BY, SERVICE, id);
    replica.receiver.answerWith(() => OK);
    const began = clock.now();
    await replica.webhooks.activate(BY, SERVICE, id, 'release');
    await replica.until(isQuiet(id), 20);
    expect(clock.now() - began).toBeLessThan(5 * SECOND);
    expect(await replica.ledger(id)).toMatchObject({ delivered: 3 });
  });

  test.each([HOUR, 400 * DAY])(
    '[WHK7] a retry waits no longer than the policy allows after the clock is set back by %i ms',
    async (back) => {
      const id = await replica.subscribe();
      replica.receiver.answerWith(() => BROKEN);
      start();
      await replica.publish(1);
      await replica.until(() => replica.receiver.sent.length === 1);
      await replica.run(SECOND);
      replica.receiver.answerWith(() => OK);
      clock.advance(-back);
      // Real timers do not follow the clock that was set back; those of the test do.
      replica.webhooks.invalidate();
      const began = clock.now();
      await replica.until(isQuiet(id));
      expect(clock.now() - began).toBeLessThan(7 * SECOND);
      expect(await replica.ledger(id)).toMatchObject({ delivered: 1 });
    },
  );

  test('[WHK7] a clock that was set back while no process ran strands no delivery, lease or pause', async () => {
    const [fresh, leased] = [await replica.subscribe(), await replica.subscribe({ receiverSignals: true })];
    replica.receiver.answerWith(({ url }) => (url.endsWith('/1') ? BROKEN : new Promise(() => {})));
    start();
    await replica.publish(1);
    await replica.until(() => replica.receiver.sent.length === 2);
    await replica.run(SECOND);
    await stopAll();
    replica.receiver.answerWith(() => OK);
    await replica.publish(1);
    clock.advance(-DAY);
    start();
    const began = clock.now();
    for (const id of [fresh, leased]) await replica.until(isQuiet(id));
    expect(clock.now() - began).toBeLessThan(30 * SECOND);
    expect(await replica.ledger(fresh)).toMatchObject({ delivered: 2 });
  });

  test('[WHK6] Retry-After delays all pending deliveries of a webhook with receiverSignals, and no others', async () => {
    const [id, other] = [await replica.subscribe({ receiverSignals: true }), await replica.subscribe()];
    const busy: AttemptOutcome = { ...BROKEN, kind: 'refused', status: 429, reason: '', retryAfterMs: 10 * MINUTE };
    let isBusy = true;
    replica.receiver.answerWith(({ url }) => (isBusy && url.endsWith('/1') ? busy : OK));
    start();
    await replica.publish(1);
    await replica.until(() => replica.receiver.sent.length === 2);
    await replica.run(SECOND);
    isBusy = false;
    const began = clock.now();
    await replica.publish(5);
    await replica.until(isQuiet(other));
    expect(clock.now() - began).toBeLessThan(MINUTE);
    await replica.run(8 * MINUTE, SECOND);
    expect(await replica.ledger(id)).toMatchObject({ delivered: 0, pending: 6 });
    await replica.until(isQuiet(id), SECOND);
    expect(clock.now() - began).toBeLessThan(11 * MINUTE);
    expect(await replica.ledger(id)).toMatchObject({ delivered: 6, failed: 0 });
  });

  test('[WHK6] [WHK10] activation ends the delay of a Retry-After', async () => {
    const id = await replica.subscribe({ receiverSignals: true });
    replica.receiver.answerWith(() => ({ ...BROKEN, kind: 'refused', status: 503, reason: '', retryAfterMs: HOUR }));
    start();
    await replica.publish(1);
    await replica.until(() => replica.receiver.sent.length === 1);
    await replica.run(SECOND);
    replica.receiver.answerWith(() => OK);
    await replica.webhooks.deactivate(BY, SERVICE, id);
    await replica.webhooks.activate(BY, SERVICE, id, 'release');
    const began = clock.now();
    await replica.until(isQuiet(id));
    expect(clock.now() - began).toBeLessThan(MINUTE);
  });
});

import { describe, expect, test } from 'vitest';
import { releasePace } from '../../src/webhooks/delivery/releasePace.ts';
import { Webhook } from 'standardwebhooks';
import { DAY, HOUR, MINUTE, SECOND } from '../../src/foundation/clock.ts';
import { createSealer } from '../../src/foundation/sealer.ts';
import { createJobs } from '../../src/jobs/jobs.ts';
import type { Store } from '../../src/store/store.ts';
import type { AttemptOutcome, AttemptRequest } from '../../src/webhooks/ports/receiver.ts';
import { SYSTEM } from '../../src/model/serviceKey.ts';
import { replicaForEachTest } from '../support/webhooks/replicaForEachTest.ts';
import type { WebhookReplica } from '../support/webhooks/webhookReplica.ts';
import { BY, SERVICE, createWebhookReplica } from '../support/webhooks/webhookReplica.ts';
import type { ManualClock } from '../support/clock/manualClock.ts';
import { manualClock } from '../support/clock/manualClock.ts';
import { BROKEN, OK } from '../support/webhooks/scriptedReceiver.ts';
import { changeRows, eachStore, openStoreOn, rowsOf } from '../support/store/stores.ts';

const POLICY = {
  notificationAttempts: undefined,
  notificationTimeOutInSeconds: undefined,
  notificationElapsedTimeInSeconds: undefined,
  daysInPast: undefined,
  numberOfFailures: undefined,
};

const header = (request: AttemptRequest | undefined, name: string): string => request?.headers[name] ?? '';

eachStore((kind) => {
  let clock: ManualClock;
  let store: Store;
  let replica: WebhookReplica;
  const { at, start, stopAll, isQuiet, failAll, runJobs } = replicaForEachTest(kind, (made) => {
    ({ clock, store, replica } = made);
  });

  /** Counts the ledger from the rows. */
  async function counted(): Promise<Record<string, number>> {
    const states: Record<string, number> = { pending: 0, delivered: 0, failed: 0, discarded: 0 };
    for (const { state } of await rowsOf(at.place(), 'delivery'))
      states[String(state)] = (states[String(state)] ?? 0) + 1;
    return states;
  }

  async function expectLedgerAddsUp(...ids: readonly string[]): Promise<void> {
    const sum: Record<string, number> = { pending: 0, delivered: 0, failed: 0, discarded: 0 };
    for (const id of ids) {
      const { accepted = 0, held = 0, ...rest } = await replica.ledger(id);
      expect(held + Object.values(rest).reduce((a, b) => a + b, 0)).toBe(accepted);
      for (const [state, count] of Object.entries({ ...rest, pending: held + (rest['pending'] ?? 0) }))
        sum[state] = (sum[state] ?? 0) + count;
    }
    expect(await counted()).toStrictEqual(sum);
  }

  describe('[WHK4] an accepted event', () => {
    test('an event is stored with its deliveries, once for each eventId, numbered without gaps', async () => {
      const id = await replica.subscribe();
      await replica.subscribe({ changeTypes: ['other'] });
      const event = (n: number, eventId?: string) => ({ type: 'a.b', payload: `{"n":${n}}`, eventId });
      const first = await replica.webhooks.publish(SERVICE, [event(1, 'x'), event(2), event(1, 'x'), event(3, 'y')]);
      expect(first.map(({ sequence, deliveries, isRepeat }) => [sequence, deliveries, isRepeat])).toStrictEqual([
        [1, 1, false],
        [2, 1, false],
        [1, 1, true],
        [3, 1, false],
      ]);
      expect(first[2]?.id).toBe(first[0]?.id);
      const again = await replica.webhooks.publish(SERVICE, [event(3, 'y')]);
      expect(again).toMatchObject([{ id: first[3]?.id, sequence: 3, deliveries: 1, isRepeat: true }]);
      expect((await replica.webhooks.publish({ ...SERVICE, name: 'B' }, [event(1, 'x')]))[0]?.isRepeat).toBe(false);
      expect(await replica.ledger(id)).toMatchObject({ accepted: 3, pending: 3 });
      await expectLedgerAddsUp(id, (await replica.webhooks.list(SERVICE, id, 10))[0]?.webhook.id ?? '');
    });

    test('an eventId with other content is refused, with all events of its request and none of other requests', async () => {
      const id = await replica.subscribe();
      const event = (payload: string, eventId?: string, type = 'a.b') => ({ type, payload, eventId });
      const [first] = await replica.webhooks.publish(SERVICE, [event('1', 'x')]);
      const send = (...events: readonly ReturnType<typeof event>[]) => replica.webhooks.publish(SERVICE, events);
      // All of these share one transaction.
      const sent = await Promise.allSettled([
        send(event('0')),
        send(event('2', 'x')),
        send(event('1', 'x', 'c.d')),
        send(event('3', 'fresh'), event('4'), event('5', 'x')),
        send(event('6', 'twice'), event('7', 'twice')),
        send(event('8', 'fresh')),
        send(event('8', 'fresh'), event('1', 'x')),
      ]);
      expect(sent.map(({ status }) => status)).toStrictEqual([
        'fulfilled',
        ...Array(4).fill('rejected'),
        'fulfilled',
        'fulfilled',
      ]);
      const reasons = sent.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
      expect(reasons.map(({ code, details }) => [code, details[0].split(' belongs', 1)[0]])).toStrictEqual([
        ['conflict', 'eventId: x'],
        ['conflict', 'eventId: x'],
        ['conflict', 'events: entry 3: eventId x'],
        ['conflict', 'events: entry 2: eventId twice'],
      ]);
      expect(reasons[0].details[0]).toContain(first?.id);
      // Accepted are 1, 0 and 8; their sequence has no gaps.
      const [last] = await send(event('9'));
      expect(last?.sequence).toBe(4);
      expect(await replica.ledger(id)).toMatchObject({ accepted: 4 });
    });

    test('many senders on two replicas store each eventId once and no number twice', async () => {
      const other = kind.engine === 'postgres' ? createWebhookReplica(await at.open(clock), clock) : replica;
      const id = await replica.subscribe();
      const send = async (n: number) =>
        (n % 2 === 0 ? replica : other).webhooks.publish(SERVICE, [
          { type: 'a', payload: 'null', eventId: `e${n % 40}` },
        ]);
      const accepted = (await Promise.all(Array.from({ length: 80 }, (_, n) => send(n)))).flat();
      expect(accepted.filter(({ isRepeat }) => !isRepeat)).toHaveLength(40);
      expect(new Set(accepted.map(({ sequence }) => sequence))).toStrictEqual(
        new Set(Array.from({ length: 40 }, (_, n) => n + 1)),
      );
      expect(await replica.ledger(id)).toMatchObject({ accepted: 40, pending: 40 });
    });
  });

  describe('the attempts of a delivery', () => {
    test('[WHK7] [WHK5] [IFC17] an attempt waits from the end of the previous one, keeps the id, raises the number and signs again', async () => {
      const id = await replica.subscribe({}, SERVICE, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLawTZ2QJ');
      const at2: number[] = [];
      const ends: number[] = [];
      replica.receiver.answerWith(async () => {
        at2.push(clock.now());
        await clock.sleep(2 * SECOND);
        ends.push(clock.now());
        return BROKEN;
      });
      start();
      await replica.publish(1);
      await replica.until(isQuiet(id));
      const { sent } = replica.receiver;
      expect(sent).toHaveLength(3);
      expect(new Set(sent.map((one) => header(one, 'webhook-id'))).size).toBe(1);
      expect(sent.map((one) => header(one, 'webhook-attempt'))).toStrictEqual(['1', '2', '3']);
      expect(new Set(sent.map((one) => header(one, 'webhook-signature'))).size).toBe(3);
      for (const n of [1, 2]) {
        const waited = (at2[n] ?? 0) - (ends[n - 1] ?? 0);
        expect(waited).toBeGreaterThanOrEqual(5 * SECOND);
        expect(waited).toBeLessThan(6 * SECOND);
      }
      const {
        deliveries: [delivery],
      } = await replica.webhooks.deliveries(SERVICE, {
        webhook: id,
        state: 'failed',
        from: undefined,
        to: undefined,
        before: undefined,
        limit: 10,
      });
      const log = await replica.webhooks.delivery(SERVICE, id, delivery?.id ?? 0);
      expect(
        log.attempts.map(({ number, kind: outcome, status, answer }) => [number, outcome, status, answer]),
      ).toStrictEqual([1, 2, 3].map((n) => [n, 'refused', 500, 'broken']));
      expect(new Set(log.attempts.map(({ reason, url }) => `${reason} at ${url}`))).toStrictEqual(
        new Set(['the receiver answered 500 at http://receiver.example/1']),
      );
      expect(await replica.ledger(id)).toMatchObject({ accepted: 1, failed: 1, pending: 0 });
      expect((await replica.webhooks.show(SERVICE, id)).window).toMatchObject({ failures: 1, allowed: 5 });
    });

    test('[WHK1] a changed policy applies to attempts that are scheduled afterwards', async () => {
      const id = await replica.subscribe();
      replica.receiver.answerWith(() => BROKEN);
      start();
      await replica.publish(1);
      await replica.until(() => replica.receiver.sent.length === 1);
      await replica.run(SECOND);
      const changed = { ...POLICY, notificationElapsedTimeInSeconds: 3600, notificationAttempts: 2 };
      expect(await replica.webhooks.changePolicy(BY, changed)).toMatchObject({ notificationTimeOutInSeconds: 10 });
      await replica.until(isQuiet(id));
      expect(replica.receiver.sent).toHaveLength(2);
      await replica.publish(1);
      await replica.until(() => replica.receiver.sent.length === 3);
      await replica.run(50 * MINUTE, MINUTE);
      expect(replica.receiver.sent).toHaveLength(3);
      await replica.until(() => replica.receiver.sent.length === 4, MINUTE);
    });

    test('[WHK6] the policy alone decides about retries, unless the webhook has receiverSignals', async () => {
      const deaf = await replica.subscribe();
      const gone: AttemptOutcome = { ...BROKEN, kind: 'refused', status: 410, reason: '' };
      replica.receiver.answerWith(() => gone);
      start();
      await replica.publish(1);
      await replica.until(isQuiet(deaf));
      expect(replica.receiver.sent).toHaveLength(3);
      expect((await replica.webhooks.show(SERVICE, deaf)).webhook.active).toBe(true);
      await replica.webhooks.remove(BY, SERVICE, deaf);
      const listening = await replica.subscribe({ receiverSignals: true });
      await replica.publish(1);
      await replica.until(async () => !(await replica.webhooks.show(SERVICE, listening)).webhook.active);
      expect(replica.receiver.sent).toHaveLength(4);
      expect((await replica.webhooks.show(SERVICE, listening)).webhook.deactivation?.reason).toContain('410');
    });

    test('[WHK6] Retry-After lengthens the wait of a webhook with receiverSignals by up to an hour, and never shortens it', async () => {
      const id = await replica.subscribe({ receiverSignals: true });
      const waits = [20 * MINUTE, 1, 5 * HOUR];
      await replica.webhooks.changePolicy(BY, { ...POLICY, notificationAttempts: 4 });
      const times: number[] = [];
      replica.receiver.answerWith(() => {
        times.push(clock.now());
        const retryAfterMs = waits[times.length - 1] ?? 0;
        return { kind: 'refused', status: 503, reason: '', durationMs: 1, answer: '', retryAfterMs };
      });
      start();
      await replica.publish(1);
      await replica.until(isQuiet(id), 5 * SECOND);
      const waited = times.slice(1).map((time, n) => Math.floor((time - (times[n] ?? 0)) / (2 * MINUTE)));
      expect(waited).toStrictEqual([10, 0, 30]);
    });

    test('[WHK7] [DEC34] a delivery that a replica claimed and never settled is taken over after its lease, and a late settlement is ignored', async () => {
      const id = await replica.subscribe();
      await replica.publish(1);
      const due = [...(await store.webhooks.dueTimes())];
      const wanted = {
        now: clock.now(),
        leaseUntil: clock.now() + 20 * SECOND,
        owner: 'dead',
        pace: releasePace(50),
        quotas: [{ number: due[0]?.[0] ?? 0, limit: 10 }],
      };
      const { claimed } = await store.webhooks.claim(wanted);
      expect(claimed).toHaveLength(1);
      expect((await store.webhooks.claim(wanted)).claimed).toHaveLength(0);
      start();
      await replica.run(15 * SECOND);
      expect(replica.receiver.sent).toHaveLength(0);
      await replica.until(isQuiet(id));
      expect(replica.receiver.sent).toHaveLength(1);
      const [first] = claimed;
      if (first === undefined) throw new Error('nothing was claimed');
      const late = { ...first, url: '', startedAt: 0, endedAt: clock.now(), outcome: BROKEN };
      const rules = {
        verdict: () => ({ kind: 'failed' as const }),
        pause: () => undefined,
        afterFailures: () => {
          throw new Error('not to be asked');
        },
      };
      expect((await store.webhooks.settle('dead', [late], rules)).settled).toMatchObject([{ verdict: 'lost' }]);
      expect(await replica.ledger(id)).toMatchObject({ accepted: 1, delivered: 1, failed: 0 });
      await expectLedgerAddsUp(id);
    });

    test('[DEC34] a stop waits half a second for running attempts and releases the rest uncounted', async () => {
      const id = await replica.subscribe();
      const answersAfter = [0.4 * SECOND, 2 * SECOND, HOUR];
      replica.receiver.answerWith(async () => {
        await clock.sleep(answersAfter[replica.receiver.sent.length - 1] ?? 0);
        return OK;
      });
      start();
      await replica.publish(3);
      await replica.until(() => replica.receiver.sent.length === 3);
      const stoppedAt = clock.now();
      await stopAll();
      expect(clock.now() - stoppedAt).toBeLessThan(2 * SECOND);
      expect(await replica.ledger(id)).toMatchObject({ delivered: 1, failed: 0, pending: 2 });
      expect(await rowsOf(at.place(), 'attempt')).toHaveLength(1);
      const waiting = (await rowsOf(at.place(), 'delivery')).filter(({ state }) => state === 'pending');
      expect(waiting.map(({ attempts }) => Number(attempts))).toStrictEqual([0, 0]);
      expect(await rowsOf(at.place(), 'queue where owner is not null')).toEqual([]);
      // The next process claims them at once, not after the lease of 20 s.
      const next = createWebhookReplica(store, clock);
      const startedAt = clock.now();
      start(next);
      await next.until(isQuiet(id, next));
      expect(clock.now() - startedAt).toBeLessThan(10 * SECOND);
      expect(next.receiver.sent.map((one) => header(one, 'webhook-attempt'))).toStrictEqual(['1', '1']);
      await expectLedgerAddsUp(id);
    });

    test('[WHK16] a delivery that Steward itself cannot send waits and counts no attempt, however often that happens', async () => {
      const id = await replica.subscribe();
      await replica.webhooks.changePolicy(BY, { ...POLICY, notificationAttempts: 1, numberOfFailures: 1 });
      replica.receiver.answerWith(() => ({ kind: 'notSent', reason: 'EMFILE', durationMs: 0, answer: '' }));
      start();
      await replica.publish(40);
      await replica.until(() => replica.receiver.sent.length > 200, 500);
      expect(await replica.ledger(id)).toMatchObject({ accepted: 40, pending: 40, failed: 0 });
      expect(await rowsOf(at.place(), 'attempt')).toHaveLength(0);
      expect((await replica.webhooks.show(SERVICE, id)).window).toBeUndefined();
      replica.receiver.answerWith(() => OK);
      const before = replica.receiver.sent.length;
      await replica.until(isQuiet(id));
      const attempts = replica.receiver.sent.slice(before).map((one) => header(one, 'webhook-attempt'));
      expect(attempts).toStrictEqual(Array(40).fill('1'));
      await expectLedgerAddsUp(id);
    });

    test('[WHK16] [DEC36] a delivery whose secret cannot be opened, or whose store fails, waits and counts no attempt', async () => {
      const id = await replica.subscribe();
      await replica.webhooks.changePolicy(BY, { ...POLICY, notificationAttempts: 1, numberOfFailures: 1 });
      const keyless = createWebhookReplica(store, clock, { sealer: createSealer([Buffer.alloc(32, 9)]) });
      start(keyless);
      await replica.publish(20);
      await keyless.run(2 * MINUTE, SECOND);
      expect(keyless.receiver.sent).toHaveLength(0);
      await stopAll();
      const { webhooksByNumber } = store.webhooks;
      let failures = 3;
      const fail = (): Promise<never> => Promise.reject(new Error('the store is away'));
      Object.assign(store.webhooks, {
        webhooksByNumber: (numbers: readonly number[]) => ((failures -= 1) >= 0 ? fail() : webhooksByNumber(numbers)),
      });
      start();
      await replica.until(isQuiet(id));
      Object.assign(store.webhooks, { webhooksByNumber });
      expect(failures).toBeLessThan(0);
      expect(await replica.ledger(id)).toMatchObject({ accepted: 20, delivered: 20, failed: 0 });
      expect(new Set(replica.receiver.sent.map((one) => header(one, 'webhook-attempt')))).toStrictEqual(new Set(['1']));
    });

    test('[WHK5] the package standardwebhooks verifies every delivery before, during and after a key rotation', async () => {
      const id = await replica.subscribe({ signatureHeader: 'x-hub' });
      const form = await replica.subscribe({ contentType: 'application/x-www-form-urlencoded' });
      start();
      /** Whether one of the signatures that were sent is the library's. */
      const isSignedWith = (key: string, request: AttemptRequest | undefined): boolean => {
        const stamp = new Date(Number(header(request, 'webhook-timestamp')) * SECOND);
        const expected = new Webhook(key).sign(header(request, 'webhook-id'), stamp, request?.body ?? '');
        return header(request, 'webhook-signature').split(' ').includes(expected);
      };
      const delivered = async (): Promise<readonly (AttemptRequest | undefined)[]> => {
        const before = replica.receiver.sent.length;
        await replica.publish(1);
        await replica.until(() => replica.receiver.sent.length === before + 2);
        await replica.until(isQuiet(id));
        return ['/1', '/2'].map((path) => replica.receiver.sent.slice(before).find(({ url }) => url.endsWith(path)));
      };
      const rotate = async () => ({
        json: await replica.webhooks.rotateKey(BY, SERVICE, id, undefined),
        form: await replica.webhooks.rotateKey(BY, SERVICE, form, undefined),
      });
      const old = await rotate();
      const [first, firstForm] = await delivered();
      expect(new Webhook(old.json).verify(first?.body ?? '', { ...first?.headers })).toMatchObject({
        type: 'thing.changed',
      });
      expect(isSignedWith(old.form, firstForm)).toBe(true);
      expect(decodeURIComponent(firstForm?.body.replace(/^payload=/, '') ?? '')).toBe(first?.body);
      expect(header(first, 'x-hub')).toMatch(/^sha256=[\da-f]{64}$/);
      const fresh = await rotate();
      const [during] = await delivered();
      expect([isSignedWith(old.json, during), isSignedWith(fresh.json, during)]).toStrictEqual([true, true]);
      await replica.run(25 * HOUR, HOUR);
      const [after] = await delivered();
      expect([isSignedWith(old.json, after), isSignedWith(fresh.json, after)]).toStrictEqual([false, true]);
    });
  });

  describe('[WIN3] the deactivation of a webhook', () => {
    test('a webhook is deactivated, announced and audited once at the allowed number, even if more fail on several replicas', async () => {
      const replicas = [replica];
      if (kind.engine === 'postgres')
        replicas.push(
          createWebhookReplica(await at.open(clock), clock),
          createWebhookReplica(await at.open(clock), clock),
        );
      const system = await replica.subscribe({ name: 'system' }, SYSTEM);
      const id = await replica.subscribe();
      await replica.webhooks.changePolicy(BY, { ...POLICY, notificationAttempts: 1 });
      for (const one of replicas) {
        one.webhooks.invalidate();
        one.receiver.answerWith(({ body }) => (body.includes('thing.changed') ? BROKEN : OK));
      }
      await replica.publish(60);
      for (const one of replicas) start(one);
      await replica.until(async () => !(await replica.webhooks.show(SERVICE, id)).webhook.active);
      await replica.run(30 * SECOND, 500);
      const { webhook } = await replica.webhooks.show(SERVICE, id);
      expect(webhook.deactivation?.reason).toBe('5 deliveries failed within 5 days.');
      const { accepted, failed = 0, held = 0 } = await replica.ledger(id);
      expect(accepted).toBe(60);
      expect(failed + held).toBe(60);
      // Deliveries that were in flight when the fifth failed have failed too; all others are held.
      expect(failed).toBeLessThanOrEqual(5 + 16 * replicas.length);
      const notes = (await rowsOf(at.place(), 'audit')).filter(({ action }) => action === 'webhook.deactivate');
      expect(notes).toHaveLength(1);
      const lines = replicas.flatMap((one) => one.lines).filter(({ webhook: logged }) => logged === id);
      expect(lines).toMatchObject([{ level: 'warn', hookUrl: webhook.hookUrl, reason: webhook.deactivation?.reason }]);
      const told = replicas
        .flatMap((one) => one.receiver.sent)
        .filter(({ body }) => /webhook\.(failing|deactivated)/.test(body));
      // A delivery that was taken over arrives twice with the same id.
      const distinct = new Map(told.map((one) => [header(one, 'webhook-id'), one])).values();
      const types = [...distinct].map(({ body }) => JSON.parse(body).type);
      expect(types.filter((type) => type === 'webhook.deactivated')).toHaveLength(1);
      // If one transaction reaches half and all of the window, only the deactivation is announced.
      expect(types.filter((type) => type === 'webhook.failing').length).toBeLessThanOrEqual(1);
      expect(JSON.parse(told[0]?.body ?? '{}').data).toMatchObject({ webhookId: id, allowed: 5 });
      expect(await replica.ledger(system, SYSTEM)).toMatchObject({ accepted: types.length, delivered: types.length });
    });

    test('[WIN1] [WHK11] [DEC35] a delivery that fails is counted once, even if it is sent again and fails again', async () => {
      const id = await replica.subscribe();
      await replica.webhooks.changePolicy(BY, { ...POLICY, notificationAttempts: 1, numberOfFailures: 2 });
      replica.receiver.answerWith(() => BROKEN);
      start();
      await replica.publish(1);
      await replica.until(isQuiet(id));
      for (let n = 0; n < 3; n += 1) {
        await replica.webhooks.redeliver(BY, SERVICE, id, 1);
        expect(await replica.ledger(id)).toMatchObject({ failed: 0, pending: 1 });
        await replica.until(isQuiet(id));
      }
      const { webhook, window } = await replica.webhooks.show(SERVICE, id);
      expect([webhook.active, window?.failures]).toStrictEqual([true, 1]);
      const { attempts } = await replica.webhooks.delivery(SERVICE, id, 1);
      expect(attempts.map(({ number }) => number)).toStrictEqual([1, 2, 3, 4]);
      await expectLedgerAddsUp(id);
    });

    test('[WHK14] a webhook does not hear of its own deactivation, and the others do', async () => {
      const [one, two] = [
        await replica.subscribe({ name: 'one' }, SYSTEM),
        await replica.subscribe({ name: 'two' }, SYSTEM),
      ];
      await replica.webhooks.changePolicy(BY, { ...POLICY, notificationAttempts: 1, numberOfFailures: 1 });
      replica.receiver.answerWith(({ url }) => (url.endsWith('/1') ? BROKEN : OK));
      start();
      await replica.publish(1, SYSTEM);
      await replica.until(async () => (await replica.ledger(two, SYSTEM))['delivered'] === 2);
      expect(await replica.ledger(one, SYSTEM)).toMatchObject({ accepted: 1, failed: 1 });
      expect(replica.receiver.sent.at(-1)?.body).toContain('webhook.deactivated');
    });
  });

  describe('[WHK10] a deactivated webhook', () => {
    test('an inactive webhook holds its deliveries, and activation releases them at the pace, with an empty window', async () => {
      const id = await replica.subscribe();
      await replica.publish(70);
      await replica.webhooks.deactivate(BY, SERVICE, id);
      start();
      await replica.publish(80);
      await replica.run(5 * SECOND);
      expect(replica.receiver.sent).toHaveLength(0);
      expect(await replica.ledger(id)).toMatchObject({ accepted: 150, pending: 0, held: 150 });
      const began = clock.now();
      await replica.webhooks.activate(BY, SERVICE, id, 'release');
      await replica.until(() => replica.receiver.sent.length >= 150, 20);
      const seconds = (clock.now() - began) / SECOND;
      expect(seconds).toBeGreaterThan(2);
      expect(seconds).toBeLessThan(8);
      await replica.until(isQuiet(id));
      await replica.publish(40);
      const later = clock.now();
      await replica.until(isQuiet(id), 10);
      expect(clock.now() - later).toBeLessThan(SECOND);
      await expectLedgerAddsUp(id);
    });

    test('a discard removes the held deliveries, and none of them is ever sent', async () => {
      const id = await replica.subscribe();
      await replica.publish(1200);
      await replica.webhooks.deactivate(BY, SERVICE, id);
      await replica.webhooks.activate(BY, SERVICE, id, 'discard');
      start();
      await replica.publish(1);
      await replica.until(isQuiet(id));
      expect(replica.receiver.sent).toHaveLength(1);
      expect(await replica.ledger(id)).toMatchObject({ accepted: 1201, discarded: 1200, delivered: 1 });
      await expectLedgerAddsUp(id);
    });
  });

  test('[WHK11] failed deliveries are sent again by a job that keeps the pace and survives its runner', async () => {
    const id = await replica.subscribe();
    await replica.webhooks.changePolicy(BY, { ...POLICY, notificationAttempts: 1, numberOfFailures: 1000 });
    replica.receiver.answerWith(() => BROKEN);
    start();
    await replica.publish(110);
    await replica.until(isQuiet(id));
    replica.receiver.answerWith(() => OK);
    expect(await replica.webhooks.redeliverAll(BY, SERVICE, id, 0, true)).toBe(110);
    const job = await replica.webhooks.redeliverAll(BY, SERVICE, id, 0, false);
    if (typeof job === 'number') throw new Error('it only counted');
    await expect(replica.webhooks.redeliverAll(BY, SERVICE, id, 0, false)).rejects.toThrow('already');
    const began = clock.now();
    const first = runJobs('first');
    const progress = () => store.jobs.job(job.id);
    await replica.until(async () => ((await progress())?.done ?? 0) >= 50, 20);
    expect(clock.now() - began).toBeGreaterThan(400);
    await first.stop();
    const second = runJobs('second');
    await replica.until(async () => (await progress())?.state === 'succeeded', 20);
    const stopping = second.stop();
    await replica.until(isQuiet(id));
    await stopping;
    expect(await progress()).toMatchObject({ done: 110, total: 110 });
    expect(await replica.ledger(id)).toMatchObject({ accepted: 110, delivered: 110, failed: 0 });
    expect(replica.receiver.sent).toHaveLength(220);
    await expectLedgerAddsUp(id);
  });

  test('[WHK11] a cancelled job leaves the deliveries that it has not reached failed, and another job can send them', async () => {
    const id = await replica.subscribe();
    await failAll(id, 110);
    const jobs = createJobs({ store: store.jobs, controls: {} });
    const sendAgain = async (): Promise<string> => {
      const job = await replica.webhooks.redeliverAll(BY, SERVICE, id, 0, false);
      return typeof job === 'number' ? Promise.reject(new Error('it only counted')) : job.id;
    };
    const cancelled = await sendAgain();
    start();
    const runner = runJobs('runner');
    await replica.until(async () => (await jobs.find(cancelled)).done > 0, 20);
    await jobs.control(BY, cancelled, 'cancel');
    await replica.until(async () => (await jobs.find(cancelled)).state !== 'running', 20);
    const job = await jobs.find(cancelled);
    expect(job).toMatchObject({ state: 'cancelled', total: 110 });
    expect(job.done).toBeLessThan(110);
    expect((await store.jobs.messages(cancelled, 0)).at(-1)?.text).toBe(`Cancelled after ${job.done} of 110.`);
    await replica.until(isQuiet(id));
    await replica.run(2 * SECOND);
    expect(await replica.ledger(id)).toMatchObject({ delivered: job.done, failed: 110 - job.done, pending: 0 });
    await expect(jobs.control(BY, cancelled, 'cancel')).rejects.toThrow('has ended already (cancelled)');
    const next = await sendAgain();
    await replica.until(async () => (await jobs.find(next)).state === 'succeeded', 20);
    await replica.until(isQuiet(id));
    await runner.stop();
    expect(await jobs.find(next)).toMatchObject({ done: 110 - job.done, total: 110 - job.done });
    expect(await replica.ledger(id)).toMatchObject({ delivered: 110, failed: 0 });
    await expectLedgerAddsUp(id);
  });

  test('[WHK12] ended deliveries are pruned after the retention time, pending ones stay, and a deleted webhook is removed with its log', async () => {
    const [id, other] = [await replica.subscribe(), await replica.subscribe({ active: false })];
    start();
    await replica.publish(30);
    await replica.until(isQuiet(id));
    const house = async (): Promise<void> => {
      const keeping = replica.webhooks.runHousekeeping(new AbortController().signal);
      let isDone = false;
      void keeping.then(() => (isDone = true));
      await replica.until(() => isDone);
    };
    await replica.run(29 * DAY, DAY);
    await house();
    expect(await counted()).toMatchObject({ delivered: 30, pending: 30 });
    await replica.run(2 * DAY, DAY);
    await house();
    expect(await counted()).toMatchObject({ delivered: 0, pending: 30 });
    expect(await rowsOf(at.place(), 'event')).toHaveLength(30);
    await replica.webhooks.remove(BY, SERVICE, other);
    await replica.run(2 * MINUTE, MINUTE);
    await house();
    expect([
      await rowsOf(at.place(), 'delivery'),
      await rowsOf(at.place(), 'event'),
      await rowsOf(at.place(), 'attempt'),
    ]).toStrictEqual([[], [], []]);
    expect(await rowsOf(at.place(), 'webhook')).toHaveLength(1);
    expect(await replica.ledger(id)).toMatchObject({ accepted: 30, delivered: 30 });
  });

  test('[WHK12] pruning passes over deliveries that are held or dated in the future, and ends', async () => {
    const [held, id] = [await replica.subscribe({ active: false }), await replica.subscribe()];
    start();
    await replica.publish(30);
    await replica.until(isQuiet(id));
    await replica.run(31 * DAY, DAY);
    await changeRows(at.place(), `update event set at = ${clock.now() + 365 * DAY} where seq < 20`);
    const prune = (): Promise<boolean> => store.webhooks.prune(clock.now() - 30 * DAY, 7);
    // The second walk looks again at what the first has passed over.
    for (let walk = 1; walk <= 2; walk += 1) {
      let calls = 1;
      while (await prune()) calls += 1;
      expect(calls).toBeLessThanOrEqual(20);
      expect(await counted()).toMatchObject({ delivered: 0, pending: 30 });
    }
    expect(await prune()).toBe(false);
    await replica.webhooks.activate(BY, SERVICE, held, 'release');
    await replica.until(isQuiet(held));
    expect(await replica.ledger(held)).toMatchObject({ delivered: 30 });
  });

  test('[WHK12] [DEC36] secrets are encrypted in the store, and the master key can be changed', async () => {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLawTZ2QJ';
    await replica.subscribe({}, SERVICE, secret);
    const kept =
      JSON.stringify(await rowsOf(at.place(), 'webhook')) + JSON.stringify(await rowsOf(at.place(), 'audit'));
    expect(kept).not.toContain(secret.slice(8));
    const [oldKey, newKey] = [Buffer.alloc(32, 7), Buffer.alloc(32, 8)];
    const both = createWebhookReplica(store, clock, { sealer: createSealer([newKey, oldKey]) });
    expect(await both.webhooks.signingSecretsFor('http://receiver.example/1')).toStrictEqual([secret]);
    expect(await both.webhooks.resealAll()).toStrictEqual({ resealed: 1, failed: 0 });
    expect(await both.webhooks.resealAll()).toStrictEqual({ resealed: 0, failed: 0 });
    const onlyNew = createWebhookReplica(store, clock, { sealer: createSealer([newKey]) });
    expect(await onlyNew.webhooks.signingSecretsFor('http://receiver.example/1')).toStrictEqual([secret]);
    await expect(replica.webhooks.signingSecretsFor('http://receiver.example/1')).rejects.toThrow(
      'STEWARD_MASTER_KEY_FILE',
    );
    // A process that has only the old key starts, and shows that it cannot read the secret.
    expect(await replica.webhooks.resealAll()).toStrictEqual({ resealed: 0, failed: 1 });
    expect((await replica.webhooks.list(SERVICE, undefined, 10))[0]).toMatchObject({
      health: 'unreadable',
      headerNames: undefined,
    });
  });

  test('[WHK8] a webhook that hangs uses only its own share, and deliveries to others leave at the same times as without it', async () => {
    /** The times at which the deliveries of the others were sent. */
    async function trace(hangs: boolean): Promise<readonly string[]> {
      const its = await kind.place();
      const time = manualClock(Date.UTC(2026, 0, 1));
      const opened = await openStoreOn(its.place, time);
      const one = createWebhookReplica(opened, time, { perWebhook: 4 });
      const sender = createWebhookReplica(opened, time);
      const scopes = Array.from({ length: 200 }, (_, n) => ({ ...SERVICE, name: `S${String(n).padStart(3, '0')}` }));
      for (const scope of scopes) await one.subscribe({}, scope);
      const begin = time.now();
      const seen: string[] = [];
      const hanging: (() => void)[] = [];
      one.receiver.answerWith(({ url, body }) => {
        if (!url.endsWith('/1')) {
          seen.push(`${time.now() - begin} ${url} ${JSON.parse(body).sequence}`);
          return OK;
        }
        return hangs ? new Promise((resolve) => hanging.push(() => resolve(BROKEN))) : OK;
      });
      const courier = one.start();
      await time.idle();
      for (let round = 0; round < 4; round += 1) {
        // What the last step has woken is done before events are published: it must not find them.
        await time.idle();
        // The first round only fills the caches.
        if (round === 1) seen.splice(0);
        // Another replica publishes, so that the courier finds the events when it polls.
        await Promise.all(scopes.map((scope, n) => sender.publish(n === 0 ? 20 : 1, scope)));
        for (let step = 0; step < 100; step += 1) {
          await time.idle();
          time.advance(step < 99 ? 4 : 1000);
        }
      }
      const stopping = one.stop(courier);
      for (const release of hanging) release();
      await stopping;
      await opened.close();
      await its.remove();
      // Deliveries that are claimed together have no order.
      return seen.toSorted();
    }
    expect(await trace(true)).toStrictEqual(await trace(false));
  });

  test('[WHK2] a preview lists the webhooks that a policy would have deactivated, with the time', async () => {
    const id = await replica.subscribe();
    await replica.webhooks.changePolicy(BY, { ...POLICY, notificationAttempts: 1, numberOfFailures: 100 });
    replica.receiver.answerWith(() => BROKEN);
    start();
    for (let day = 0; day < 3; day += 1) {
      await replica.publish(2);
      await replica.until(isQuiet(id));
      await replica.run(DAY, 6 * HOUR);
    }
    const preview = (numberOfFailures: number, daysInPast: number) =>
      replica.webhooks.preview({ ...POLICY, numberOfFailures, daysInPast });
    expect(await preview(3, 1)).toStrictEqual([]);
    expect(await preview(3, 2)).toMatchObject([{ id, webhook: { name: 'hook 1' }, failures: 3 }]);
    expect(await preview(6, 3)).toMatchObject([{ failures: 6 }]);
    expect(await preview(7, 30)).toStrictEqual([]);
  });
});

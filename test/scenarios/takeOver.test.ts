import { Client } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { HOUR, SECOND } from '../../src/foundation/clock.ts';
import { PRESENCE_LOCKS, sessionOwner } from '../../src/store/engine/dialect.ts';
import { silentLog } from '../../src/foundation/log.ts';
import type { Store } from '../../src/store/store.ts';
import { openStore } from '../../src/store/store.ts';
import { releasePace } from '../../src/webhooks/delivery/releasePace.ts';
import type { ManualClock } from '../support/clock/manualClock.ts';
import { until } from '../support/run/until.ts';
import type { Fate } from '../support/store/databaseProxy.ts';
import { startDatabaseProxy } from '../support/store/databaseProxy.ts';
import { postgresKind, rowsOf } from '../support/store/stores.ts';
import { replicaForEachTest } from '../support/webhooks/replicaForEachTest.ts';
import type { WebhookReplica } from '../support/webhooks/webhookReplica.ts';
import { BY, SERVICE, createWebhookReplica } from '../support/webhooks/webhookReplica.ts';

const LISTENS = `query = 'listen steward_revision' and datname = current_database()`;

describe.skipIf(!postgresKind.isHere)(`several replicas ${postgresKind.title}`, () => {
  let clock: ManualClock;
  let store: Store;
  let replica: WebhookReplica;
  const { at, start, isQuiet } = replicaForEachTest(postgresKind, (made) => {
    ({ clock, store, replica } = made);
  });

  const listeners = async (): Promise<number> =>
    (await rowsOf(at.place(), `(select pid from pg_stat_activity where ${LISTENS}) as listening`)).length;

  /** Claims five deliveries for an hour. Returns the webhook. */
  async function claimAll(owner: string): Promise<string> {
    const id = await replica.subscribe();
    await replica.publish(5);
    const [number = 0] = [...(await store.webhooks.dueTimes()).keys()];
    const now = clock.now();
    const wanted = { now, leaseUntil: now + HOUR, owner, pace: releasePace(50), quotas: [{ number, limit: 5 }] };
    expect((await store.webhooks.claim(wanted)).claimed).toHaveLength(5);
    return id;
  }

  test('[WHK7] [DEC103] deliveries that a replica had claimed are sent by another one within 2 s after it has ended', async () => {
    const other = await at.open(clock);
    await until('both replicas are present', async () => (await listeners()) === 2);
    const id = await claimAll(other.webhooks.owner);
    start();
    await replica.run(5 * SECOND);
    expect(replica.receiver.sent).toHaveLength(0);
    await other.close();
    const endedAt = clock.now();
    await replica.until(isQuiet(id));
    expect(replica.receiver.sent).toHaveLength(5);
    expect(clock.now() - endedAt).toBeLessThanOrEqual(2 * SECOND);
  });

  test('[DEC103] a replica whose listening connection is lost for a moment keeps its claims', async () => {
    const number = 4711;
    await claimAll(sessionOwner(number));
    const claimed = async (): Promise<number> =>
      (await rowsOf(at.place(), 'queue')).filter(({ owner }) => owner === sessionOwner(number)).length;
    let looks = 0;
    const look = (): Promise<void> => store.webhooks.expireClaims(clock.now() + SECOND * (looks += 1));
    await look();
    const session = new Client({ connectionString: at.place().at });
    await session.connect();
    await session.query(`select pg_advisory_lock_shared(${PRESENCE_LOCKS}, ${number})`);
    await look();
    await session.query(`select pg_advisory_unlock_shared(${PRESENCE_LOCKS}, ${number})`);
    await session.end();
    await look();
    expect(await claimed()).toBe(5);
    await look();
    expect(await claimed()).toBe(0);
  });

  test('[DEC96] a webhook that is removed on one replica sends nothing more on another one', async () => {
    const otherStore = await at.open(clock);
    const other = createWebhookReplica(otherStore, clock);
    other.receiver.answerWith(() => new Promise(() => undefined));
    start(other);
    const id = await replica.subscribe();
    await replica.publish(20);
    await replica.until(() => other.receiver.sent.length === 16);
    await replica.webhooks.remove(BY, SERVICE, id);
    expect(await clock.until('its requests are cut', replica.webhooks.untilWithdrawn([id]))).toBe(0);
    await replica.run(3 * SECOND);
    expect([other.receiver.sent.length, other.webhooks.inFlight(), other.lines]).toEqual([16, 0, []]);
  });

  test('[DEC96] the removal of a webhook says how many of its requests may still arrive', async () => {
    const other = await at.open(clock);
    const id = await claimAll(other.webhooks.owner);
    await replica.webhooks.remove(BY, SERVICE, id);
    expect(await clock.until('it waited', replica.webhooks.untilWithdrawn([id]))).toBe(5);
  });

  /** Opens a second replica through a proxy that decides about what it sends. */
  async function openThrough(decide: (sent: Buffer) => Fate): Promise<Store> {
    const proxy = await startDatabaseProxy(at.place().at, decide);
    const other = await openStore({ ...at.place(), at: proxy.url }, { clock, log: silentLog });
    onTestFinished(async () => {
      await other.close();
      await proxy.close();
    });
    return other;
  }

  /** Counts what this replica sends in a time. */
  async function sentWithin(ms: number): Promise<number> {
    start();
    await replica.run(ms);
    return replica.receiver.sent.length;
  }

  test('[STO8] a replica whose listening connection is refused shows by its pool that it runs, and keeps its claims', async () => {
    const other = await openThrough((sent) => (sent.includes('listen steward_revision') ? 'cut' : 'pass'));
    await until('the other replica is present', () => other.isPresent());
    await claimAll(other.webhooks.owner);
    expect(await sentWithin(10 * SECOND)).toBe(0);
  });

  test('[STO8] a replica that loses its listening connection again and again keeps its claims', async () => {
    const other = await openThrough(() => 'pass');
    await until('both replicas are present', async () => (await listeners()) === 2);
    await claimAll(other.webhooks.owner);
    start();
    for (let n = 0; n < 10; n += 1) {
      await rowsOf(at.place(), `(select pg_terminate_backend(pid) from pg_stat_activity where ${LISTENS}) as ended`);
      await replica.run(SECOND);
    }
    expect(replica.receiver.sent).toHaveLength(0);
  });

  test('[STO8] a replica that cannot show that it runs is protected by its leases', async () => {
    const other = await openThrough((sent) => (sent.includes('pg_advisory_lock_shared') ? 'cut' : 'pass'));
    const id = await replica.subscribe();
    await replica.publish(5);
    const [number = 0] = [...(await store.webhooks.dueTimes()).keys()];
    const { owner } = other.webhooks;
    const now = clock.now();
    const wanted = { now, leaseUntil: now + 20 * SECOND, owner, pace: releasePace(50), quotas: [{ number, limit: 5 }] };
    expect((await other.webhooks.claim(wanted)).claimed).toHaveLength(5);
    expect(other.isPresent()).toBe(false);
    expect(await sentWithin(15 * SECOND)).toBe(0);
    await replica.until(isQuiet(id));
    expect(replica.receiver.sent).toHaveLength(5);
    expect(clock.now() - now).toBeGreaterThanOrEqual(20 * SECOND);
  });

  test('[STO8] a replica finds a claim whose commit was answered on a connection that was lost, and sends it', async () => {
    let cuts = 0;
    const other = await openThrough((sent) =>
      sent.includes('insert into claim') && (cuts += 1) === 1 ? 'cutAnswer' : 'pass',
    );
    const second = createWebhookReplica(other, clock);
    const id = await second.subscribe();
    await second.publish(5);
    start(second);
    const began = clock.now();
    await second.until(isQuiet(id, second));
    expect(second.receiver.sent).toHaveLength(5);
    expect([cuts, clock.now() - began < 10 * SECOND]).toEqual([expect.any(Number), true]);
    expect(cuts).toBeGreaterThan(0);
  });
});

import { Client } from 'pg';
import { describe, expect, test } from 'vitest';
import { HOUR, SECOND } from '../../src/foundation/clock.ts';
import { PRESENCE_LOCKS, sessionOwner } from '../../src/store/engine/dialect.ts';
import type { Store } from '../../src/store/store.ts';
import { releasePace } from '../../src/webhooks/delivery/releasePace.ts';
import type { ManualClock } from '../support/clock/manualClock.ts';
import { until } from '../support/run/until.ts';
import { postgresKind, rowsOf } from '../support/store/stores.ts';
import { replicaForEachTest } from '../support/webhooks/replicaForEachTest.ts';
import type { WebhookReplica } from '../support/webhooks/webhookReplica.ts';

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
});

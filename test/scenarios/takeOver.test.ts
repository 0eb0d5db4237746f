import { describe, expect, test } from 'vitest';
import { HOUR, SECOND } from '../../src/foundation/clock.ts';
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

  /** Opens another replica that claims five deliveries for an hour. */
  async function otherWithClaims() {
    const id = await replica.subscribe();
    await replica.publish(5);
    const other = await at.open(clock);
    await until('both replicas are present', async () => (await listeners()) === 2);
    const [number = 0] = [...(await other.webhooks.dueTimes()).keys()];
    const { owner } = other.webhooks;
    const now = clock.now();
    const wanted = { now, leaseUntil: now + HOUR, owner, pace: releasePace(50), quotas: [{ number, limit: 5 }] };
    expect((await other.webhooks.claim(wanted)).claimed).toHaveLength(5);
    return { id, other };
  }

  test('[WHK7] [DEC103] deliveries that a replica had claimed are sent by another one within 2 s after it has ended', async () => {
    const { id, other } = await otherWithClaims();
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
    const { other } = await otherWithClaims();
    await store.webhooks.expireClaims(clock.now());
    await rowsOf(at.place(), `(select pg_terminate_backend(pid) from pg_stat_activity where ${LISTENS}) as ended`);
    await store.webhooks.expireClaims(clock.now() + SECOND);
    await until('both replicas are present again', async () => (await listeners()) === 2);
    await store.webhooks.expireClaims(clock.now() + 2 * SECOND);
    await store.webhooks.expireClaims(clock.now() + 3 * SECOND);
    expect(await store.webhooks.dueTimes()).toEqual(await other.webhooks.dueTimes());
    const claimed = (await rowsOf(at.place(), 'delivery')).filter(({ owner }) => owner === other.webhooks.owner);
    expect(claimed).toHaveLength(5);
  });
});

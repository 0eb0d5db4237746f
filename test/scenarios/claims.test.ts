import { Client } from 'pg';
import { describe, expect, test } from 'vitest';
import { HOUR, MINUTE, systemClock } from '../../src/foundation/clock.ts';
import type { Store } from '../../src/store/store.ts';
import { releasePace } from '../../src/webhooks/delivery/releasePace.ts';
import type { ClaimedDelivery, SettleRules } from '../../src/webhooks/ports/webhookStore.ts';
import type { ManualClock } from '../support/clock/manualClock.ts';
import { until } from '../support/run/until.ts';
import type { StoreKind } from '../support/store/stores.ts';
import { changeRows, eachStore, openStoreOn, postgresKind, rowsOf } from '../support/store/stores.ts';
import { replicaForEachTest } from '../support/webhooks/replicaForEachTest.ts';
import { OK } from '../support/webhooks/scriptedReceiver.ts';
import type { WebhookReplica } from '../support/webhooks/webhookReplica.ts';
import { BY, SERVICE } from '../support/webhooks/webhookReplica.ts';

const RULES: SettleRules = {
  verdict: () => ({ kind: 'delivered' }),
  pause: () => undefined,
  afterFailures: () => {
    throw new Error('not to be asked');
  },
};

/** As a crash of the store does that has not written them to disk yet. */
const LOSE_CLAIMS = 'delete from claim; update queue set owner = null, lease_until = null, fence = fence - 1';

function claimsForEachTest(kind: StoreKind) {
  let clock: ManualClock;
  let store: Store;
  let replica: WebhookReplica;
  const { at } = replicaForEachTest(kind, (made) => {
    ({ clock, store, replica } = made);
  });
  return {
    at,
    replica: () => replica,
    store: () => store,
    clock: () => clock,
    async claim(owner: string, from = store): Promise<readonly ClaimedDelivery[]> {
      const [number = 0] = (await rowsOf(at.place(), 'webhook')).map(({ seq }) => Number(seq));
      const now = clock.now();
      const quotas = [{ number, limit: 10 }];
      return (await from.webhooks.claim({ now, leaseUntil: now + HOUR, owner, pace: releasePace(50), quotas })).claimed;
    },
    async settle(
      owner: string,
      claimed: readonly ClaimedDelivery[],
      { rules = RULES, from = store } = {},
    ): Promise<readonly unknown[]> {
      const now = clock.now();
      const finished = claimed.map((one) => ({ ...one, url: '', startedAt: now, endedAt: now, outcome: OK }));
      const { settled } = await from.webhooks.settle(owner, finished, rules);
      return settled.map(({ verdict }) => (verdict === 'lost' ? verdict : verdict.kind));
    },
  };
}

eachStore((kind) => {
  const { at, replica, claim, settle, store, clock } = claimsForEachTest(kind);

  test('[WHK7] an outcome whose claim was lost in a crash of the store is settled, and only once', async () => {
    const id = await replica().subscribe();
    await replica().publish(2);
    const claimed = await claim('one');
    await changeRows(at.place(), LOSE_CLAIMS);
    expect(await settle('one', claimed)).toEqual(['delivered', 'delivered']);
    expect(await settle('one', claimed)).toEqual(['lost', 'lost']);
    expect(await replica().ledger(id)).toMatchObject({ accepted: 2, delivered: 2 });
    expect(await rowsOf(at.place(), 'attempt')).toHaveLength(2);
  });

  test('[WHK7] an outcome whose claim was lost in a crash is dropped if another replica has claimed the delivery since', async () => {
    const id = await replica().subscribe();
    await replica().publish(2);
    const claimed = await claim('one');
    await changeRows(at.place(), LOSE_CLAIMS);
    const again = await claim('two');
    expect(await settle('one', claimed)).toEqual(['lost', 'lost']);
    expect(await settle('two', again)).toEqual(['delivered', 'delivered']);
    expect(await replica().ledger(id)).toMatchObject({ accepted: 2, delivered: 2 });
  });

  test('[WHK7] a returned claim has no effect any more, and the delivery can be claimed again', async () => {
    await replica().subscribe();
    await replica().publish(2);
    const claimed = await claim('one');
    await store().webhooks.returnClaims('one', claimed, 0);
    expect(await settle('one', claimed)).toEqual(['lost', 'lost']);
    const again = await claim('two');
    await store().webhooks.returnClaims('one', again, 0);
    await store().webhooks.returnClaims('two', claimed, 0);
    expect(await settle('two', again)).toEqual(['delivered', 'delivered']);
  });

  test('[WHK7] a claim ends with its lease, and only then can another replica claim the delivery', async () => {
    await replica().subscribe();
    await replica().publish(2);
    const claimed = await claim('one');
    await store().webhooks.expireClaims(clock().now() + HOUR - 1);
    expect(await claim('two')).toHaveLength(0);
    await store().webhooks.expireClaims(clock().now() + HOUR);
    expect(await settle('one', claimed)).toEqual(['lost', 'lost']);
    expect(await settle('two', await claim('two'))).toEqual(['delivered', 'delivered']);
  });

  test('[WHK7] the end of an earlier lease does not end the claim of a retry', async () => {
    await replica().subscribe();
    await replica().publish(2);
    const retryNow: SettleRules = { ...RULES, verdict: () => ({ kind: 'retry', at: 0 }) };
    expect(await settle('one', await claim('one'), { rules: retryNow })).toEqual(['retry', 'retry']);
    clock().advance(MINUTE);
    const again = await claim('one');
    await store().webhooks.expireClaims(clock().now() + HOUR - 1);
    expect(await claim('two')).toHaveLength(0);
    expect(await settle('one', again)).toEqual(['delivered', 'delivered']);
    expect(await rowsOf(at.place(), 'queue')).toEqual([]);
  });

  test('[WHK7] a process that was killed while it had many claims keeps none of them', async () => {
    await replica().subscribe();
    await replica().publish(150);
    const [number = 0] = [...(await store().webhooks.dueTimes()).keys()];
    const request = { now: clock().now(), leaseUntil: clock().now() + HOUR, owner: 'one', pace: releasePace(50) };
    for (let n = 0; n < 150; n += 1) await store().webhooks.claim({ ...request, quotas: [{ number, limit: 1 }] });
    expect(await rowsOf(at.place(), 'queue where owner is null')).toHaveLength(0);
    await store().webhooks.expireAllLeases();
    expect(await rowsOf(at.place(), 'queue where owner is null')).toHaveLength(150);
    expect(await rowsOf(at.place(), 'claim')).toEqual([]);
  });
});

describe.skipIf(!postgresKind.isHere)(
  `claims of another replica that are not committed yet, ${postgresKind.title}`,
  () => {
    const { at, replica, claim, store } = claimsForEachTest(postgresKind);

    /** Claims all deliveries as a claim does, and commits when `work` waits for it. */
    async function whileClaimed<T>(work: () => Promise<T>): Promise<T> {
      const client = new Client({ connectionString: at.place().at });
      await client.connect();
      try {
        await client.query('begin');
        await client.query(`update queue set fence = fence + 1, owner = 'other', lease_until = ${Date.now() + HOUR}`);
        const working = work();
        const waits = `(select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()) as waiting`;
        await until('the other one waits', async () => (await rowsOf(at.place(), waits)).length > 0);
        await client.query('commit');
        return await working;
      } finally {
        await client.end();
      }
    }

    test('[WHK10] a discard leaves deliveries alone that are being claimed', async () => {
      const id = await replica().subscribe();
      await replica().publish(3);
      await replica().webhooks.deactivate(BY, SERVICE, id);
      expect(await whileClaimed(() => store().webhooks.discardPending(id, 500))).toBe(0);
      expect(await replica().ledger(id)).toMatchObject({ discarded: 0 });
    });

    test('[WHK7] a delivery is not claimed while another replica claims it, and not after that', async () => {
      await replica().subscribe();
      await replica().publish(3);
      const client = new Client({ connectionString: at.place().at });
      await client.connect();
      await client.query('begin');
      await client.query('select delivery_id from queue for update');
      expect(await claim('two')).toHaveLength(0);
      await client.query('rollback');
      await client.end();
      expect(await claim('two')).toHaveLength(3);
      expect(await claim('three')).toHaveLength(0);
    });
  },
);

describe.skipIf(!postgresKind.isHere)(`claims among many events, ${postgresKind.title}`, () => {
  const { at, replica, claim, settle } = claimsForEachTest(postgresKind);

  /** What a session counts, which it does when it ends. */
  async function counted(relation: string, isCounted: (row: Record<string, unknown>) => boolean) {
    let found: Record<string, unknown> = {};
    await until('it is counted', async () => {
      found = { ...(await rowsOf(at.place(), relation))[0] };
      return isCounted(found);
    });
    return found;
  }

  test('a claim and a success write no new entry to an index of the deliveries or of the queue', async () => {
    await replica().subscribe();
    await replica().publish(10);
    await changeRows(at.place(), 'select pg_stat_reset()');
    const second = await openStoreOn(at.place(), systemClock);
    expect(await settle('one', await claim('one', second), { from: second })).toHaveLength(10);
    await second.close();
    const changes = `(select sum(n_tup_upd) as all, sum(n_tup_hot_upd) as within from pg_stat_user_tables
      where relname in ('delivery', 'queue')) as changes`;
    const { all, within } = await counted(changes, (row) => Number(row['all']) >= 20);
    expect([Number(all), Number(within)]).toEqual([20, 20]);
  });

  /** Rows that were read, and how often the whole queue was read. */
  const READ = `(select sum(seq_tup_read + idx_tup_fetch) filter (where relname = 'event') as events,
    sum(seq_tup_read + idx_tup_fetch) filter (where relname = 'queue') as queued,
    sum(seq_scan) filter (where relname = 'queue') as scans from pg_stat_user_tables) as read`;

  test('a claim reads few rows of a long queue and of its events, in a database that has statistics', async () => {
    await replica().subscribe();
    for (let n = 0; n < 4; n += 1) await replica().publish(1000);
    await changeRows(at.place(), 'vacuum analyze');
    await changeRows(at.place(), 'select pg_stat_reset()');
    const second = await openStoreOn(at.place(), systemClock);
    // After five runs, PostgreSQL may use a plan for any values.
    for (let n = 0; n < 8; n += 1) expect(await claim('one', second)).toHaveLength(10);
    await second.close();
    const { events, queued, scans } = await counted(READ, (row) => Number(row['events']) >= 80);
    expect(Number(events)).toBeLessThan(500);
    expect(Number(queued)).toBeLessThan(1500);
    expect(Number(scans)).toBe(0);
  });
});

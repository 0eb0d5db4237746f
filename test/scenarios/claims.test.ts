import { Client } from 'pg';
import { describe, expect, test } from 'vitest';
import { HOUR, systemClock } from '../../src/foundation/clock.ts';
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
    async claim(owner: string, from = store): Promise<readonly ClaimedDelivery[]> {
      const [number = 0] = (await rowsOf(at.place(), 'webhook')).map(({ seq }) => Number(seq));
      const now = clock.now();
      const quotas = [{ number, limit: 10 }];
      return (await from.webhooks.claim({ now, leaseUntil: now + HOUR, owner, pace: releasePace(50), quotas })).claimed;
    },
    async settle(owner: string, claimed: readonly ClaimedDelivery[]): Promise<readonly unknown[]> {
      const now = clock.now();
      const finished = claimed.map((one) => ({ ...one, url: '', startedAt: now, endedAt: now, outcome: OK }));
      const { settled } = await store.webhooks.settle(owner, finished, RULES);
      return settled.map(({ verdict }) => (verdict === 'lost' ? verdict : verdict.kind));
    },
  };
}

eachStore((kind) => {
  const { at, replica, claim, settle, store } = claimsForEachTest(kind);

  test('[WHK7] an outcome whose claim was lost in a crash of the store is settled, and only once', async () => {
    const id = await replica().subscribe();
    await replica().publish(2);
    const claimed = await claim('one');
    await changeRows(at.place(), 'delete from claim');
    expect(await settle('one', claimed)).toEqual(['delivered', 'delivered']);
    expect(await settle('one', claimed)).toEqual(['lost', 'lost']);
    expect(await replica().ledger(id)).toMatchObject({ accepted: 2, delivered: 2 });
    expect(await rowsOf(at.place(), 'attempt')).toHaveLength(2);
  });

  test('[WHK7] an outcome whose claim was lost in a crash is dropped if another replica has claimed the delivery since', async () => {
    const id = await replica().subscribe();
    await replica().publish(2);
    const claimed = await claim('one');
    await changeRows(at.place(), 'delete from claim');
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
        await client.query('select id from delivery for update');
        await client.query(`insert into claim (delivery_id, event_seq, webhook_seq, fence, attempts, round_attempts, owner, lease_until)
        select id, event_seq, webhook_seq, fence + 1, attempts, round_attempts, 'other', ${Date.now() + HOUR} from delivery`);
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
      await client.query('select id from delivery for update');
      expect(await claim('two')).toHaveLength(0);
      await client.query('rollback');
      await client.end();
      expect(await claim('two')).toHaveLength(3);
      expect(await claim('three')).toHaveLength(0);
    });
  },
);

describe.skipIf(!postgresKind.isHere)(`claims among many events, ${postgresKind.title}`, () => {
  const { at, replica, claim } = claimsForEachTest(postgresKind);
  /** Rows of events that were read, and how often all claims were read. */
  const READ = `(select sum(seq_tup_read + idx_tup_fetch) filter (where relname = 'event') as events,
    sum(seq_scan) filter (where relname = 'claim') as scans from pg_stat_user_tables) as read`;

  test('a claim finds its events and other claims by their indexes, in a database that has statistics', async () => {
    await replica().subscribe();
    for (let n = 0; n < 4; n += 1) await replica().publish(1000);
    // The table of claims is empty now, so PostgreSQL expects that reading all of it costs nothing.
    await changeRows(at.place(), 'vacuum analyze');
    await changeRows(at.place(), 'select pg_stat_reset()');
    const second = await openStoreOn(at.place(), systemClock);
    // After five runs, PostgreSQL may use a plan for any values.
    for (let n = 0; n < 8; n += 1) expect(await claim('one', second)).toHaveLength(10);
    // A connection counts what it has read when it ends.
    await second.close();
    const counted = async () => (await rowsOf(at.place(), READ))[0];
    await until('the reads are counted', async () => Number((await counted())?.['events']) >= 80);
    expect(Number((await counted())?.['events'])).toBeLessThan(500);
    expect(Number((await counted())?.['scans'])).toBe(0);
  });
});

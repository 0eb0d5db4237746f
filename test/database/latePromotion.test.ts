import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { DocumentStore } from '../../src/foundation/documentStore.ts';
import { memoryDocuments } from '../support/database/memoryDocuments.ts';
import type { PostgresPair } from '../support/database/pair.ts';
import { startPair } from '../support/database/pair.ts';
import type { Proxy } from '../support/database/proxy.ts';
import { startProxy } from '../support/database/proxy.ts';
import { SWITCH_OVER, actOf, openPair, perform, restoreOf } from '../support/database/switchOver.ts';
import { startWriter } from '../support/database/writer.ts';
import { until } from '../support/run/until.ts';
import { postgresPrograms } from '../support/store/postgres.ts';
import { isOverTls } from '../support/store/postgresTls.ts';

const ROLES = { primary: 'a', standby: 'b', job: '1' } as const;
const [READ_ONLY, PROMOTE] = [actOf('readOnly', ROLES), actOf('promote', ROLES)];
/** In `promote`, a holder looks at its fence before it closes the server, and again in the session of the promotion. */
const LOOKS_BEFORE_PROMOTION = 2;

/** Calls `then` right after the nth look at the fence, before the holder hears the answer. */
function afterLook(documents: DocumentStore, nth: number, then: () => void): DocumentStore {
  let looks = 0;
  return {
    ...documents,
    async read(...prefixes) {
      const found = await documents.read(...prefixes);
      if (prefixes[0] === 'database/fence' && (looks += 1) === nth) then();
      return found;
    },
  };
}

describe.skipIf(postgresPrograms() === undefined)('[STO12] a promotion of an overtaken holder', () => {
  let pair: PostgresPair;
  let proxy: Proxy;
  let documents: DocumentStore;
  beforeEach(async () => {
    pair = await startPair();
    proxy = await startProxy(Number(new URL(pair.instances[1].url).port));
    documents = memoryDocuments();
  });
  afterEach(async () => {
    await proxy?.close();
    await pair?.stop();
  });

  /** The pair as a holder sees it that reaches `b` through the proxy. */
  function proxied(): PostgresPair {
    const [a, b] = pair.instances;
    const url = new URL(b.url);
    url.port = String(proxy.port);
    return { ...pair, instances: [a, { ...b, url: url.href }] };
  }

  /** A first holder, up to the moment when its promotion is on its way. */
  async function sendPromotion(): Promise<void> {
    const first = openPair(pair, documents);
    expect(await perform(first, READ_ONLY, 1)).toMatchObject({ state: 'done' });
    const late = openPair(
      proxied(),
      afterLook(documents, LOOKS_BEFORE_PROMOTION, () => proxy.hold()),
    );
    await late.begin(PROMOTE, 2);
    await until('the promotion is on its way', () => proxy.held().length > 0);
  }

  async function expectOneWriter(writer: ReturnType<typeof startWriter>): Promise<void> {
    const count = writer.acknowledged.length;
    await until('the client writes on', () => writer.acknowledged.length > count + 20);
    const [standby] = await pair.query('b', 'SELECT pg_is_in_recovery() AS is_standby');
    expect(standby).toEqual({ is_standby: true });
    const writes = await writer.stop();
    expect(new Set(writes.map(({ server }) => server))).toEqual(new Set(['a']));
  }

  test('that arrives after the restore changes nothing: its session has been ended', async () => {
    const writer = startWriter(pair);
    onTestFinished(async () => void (await writer.stop()));
    await until('the client writes', () => writer.acknowledged.length > 20);
    await sendPromotion();
    const second = openPair(pair, documents);
    await second.takeOver(3);
    expect(await perform(second, restoreOf([READ_ONLY, PROMOTE], '1'), 3)).toEqual({ state: 'done', lines: [] });
    await proxy.release();
    await expectOneWriter(writer);
    expect((await second.describe())?.trouble).toBeUndefined();
  });

  test('that arrives during the restore of a server that does not answer finds no client on it', async () => {
    const writer = startWriter(pair);
    onTestFinished(async () => void (await writer.stop()));
    await until('the client writes', () => writer.acknowledged.length > 20);
    await sendPromotion();
    // The second holder cannot reach b: neither by SQL nor by its command.
    const away = {
      ...pair,
      instances: [pair.instances[0], { name: 'b', url: 'postgres://steward@127.0.0.1:1/postgres' }],
    } as const;
    const second = openPair(away, documents, async (call, signal) => {
      if (call.instance === 'b') throw new Error('b cannot be reached');
      return pair.command(call, signal);
    });
    await second.takeOver(3);
    const written = writer.acknowledged.length;
    expect(await perform(second, restoreOf([READ_ONLY, PROMOTE], '1'), 3)).toMatchObject({ state: 'failed' });
    await until('the client writes to the former primary', () => writer.acknowledged.length > written + 5);
    await proxy.release();
    await until('the promotion took effect', async () => {
      const [row] = await pair.query('b', 'SELECT pg_is_in_recovery() AS is_standby');
      return row?.['is_standby'] === false;
    });
    // Two primaries, but only one that a client can reach.
    await expect(pair.query('b', 'SELECT 1')).resolves.toHaveLength(1);
    const third = openPair(pair, documents);
    await third.takeOver(4);
    expect(await perform(third, restoreOf([READ_ONLY, PROMOTE], '2'), 4)).toEqual({ state: 'done', lines: [] });
    await expectOneWriter(writer);
    expect((await third.describe())?.trouble).toBeUndefined();
  });

  test.skipIf(isOverTls())('whose bytes arrive in another session changes nothing', async () => {
    await sendPromotion();
    const other = await startProxy(Number(new URL(pair.instances[1].url).port));
    onTestFinished(() => other.close());
    const url = new URL(pair.instances[1].url);
    url.port = String(other.port);
    const client = new Client({ connectionString: url.href });
    client.on('error', () => undefined);
    await client.connect();
    other.deafen();
    expect(proxy.held().toString('latin1')).toContain('pg_promote');
    other.inject(proxy.held());
    await until('the server has run the statement', async () => {
      const sql = `SELECT FROM pg_stat_activity WHERE query LIKE '%pg_promote(false)%' AND state = 'idle' AND pid <> pg_backend_pid()`;
      return (await pair.query('b', sql)).length > 0;
    });
    const [row] = await pair.query('b', 'SELECT pg_is_in_recovery() AS is_standby');
    expect(row).toEqual({ is_standby: true });
  });

  test('whose answer is lost is observed, and the phase is done', async () => {
    const first = openPair(pair, documents);
    expect(await perform(first, READ_ONLY, 1)).toMatchObject({ state: 'done' });
    let isLost = false;
    const lossy = openPair(
      proxied(),
      afterLook(documents, LOOKS_BEFORE_PROMOTION, () => {
        proxy.deafen();
        isLost = true;
      }),
    );
    await lossy.begin(PROMOTE, 2);
    await until('the answer is lost', () => isLost);
    await until('b is a primary', async () => {
      const [row] = await pair.query('b', 'SELECT pg_is_in_recovery() AS is_standby');
      return row?.['is_standby'] === false;
    });
    const second = openPair(pair, documents);
    await second.takeOver(3);
    for (const phase of SWITCH_OVER.slice(1))
      expect(await perform(second, actOf(phase, ROLES), 3)).toEqual({ state: 'done', lines: [] });
    expect((await second.describe())?.trouble).toBeUndefined();
  });
});

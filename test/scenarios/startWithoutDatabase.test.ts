import { describe, expect, test } from 'vitest';
import type { Clock } from '../../src/foundation/clock.ts';
import { SECOND, systemClock } from '../../src/foundation/clock.ts';
import { createCloseStack } from '../../src/foundation/flow/closeStack.ts';
import { StewardError } from '../../src/foundation/errors.ts';
import type { LogFields } from '../../src/foundation/log.ts';
import { silentLog } from '../../src/foundation/log.ts';
import { start } from '../../src/service/serve.ts';
import { readConfiguration } from '../../src/service/settings/configuration.ts';
import { createStoreRetry } from '../../src/service/start/storeRetry.ts';
import { migrations } from '../../src/store/engine/migrations.ts';
import { manualClock } from '../support/clock/manualClock.ts';
import { temporaryFolder } from '../support/run/runFolder.ts';
import type { Fate } from '../support/store/databaseProxy.ts';
import { startDatabaseProxy } from '../support/store/databaseProxy.ts';
import { openStoreOn, postgresKind } from '../support/store/stores.ts';

/** The pause between two tries is a second. Here it is short, and time stands still, so that no start gives up. */
function impatientClock(): Clock {
  const now = systemClock.now();
  return { now: () => now, sleep: (ms, signal) => systemClock.sleep(ms === SECOND ? 1 : ms, signal) };
}

/** Loses every statement when it is sent for the first time, and its answer when it is sent for the second time. */
function loseEachTwice() {
  const seen = new Map<string, number>();
  return {
    seen,
    decide: (sent: Buffer): Fate => {
      const text = sent.toString('latin1');
      // The name of a prepared statement, or the text of a simple query.
      // Each attempt to open the store has its own number of presence.
      const key = /[0-9a-f]{32}/.exec(text)?.[0] ?? /^Q....(.+)\0/s.exec(text)?.[1]?.replaceAll(/\d+/g, 'n');
      if (key === undefined) return 'pass';
      const times = (seen.get(key) ?? 0) + 1;
      seen.set(key, times);
      if (times > 2) return 'pass';
      return times === 1 ? 'cut' : 'cutAnswer';
    },
  };
}

describe.skipIf(!postgresKind.isHere)(`a start ${postgresKind.title}`, () => {
  test('[DEC24] a start succeeds although the connection is lost twice at every statement that it sends', async ({
    onTestFinished,
  }) => {
    const { place, remove } = await postgresKind.place();
    onTestFinished(() => remove());
    // The last migration is left to the start.
    await (await openStoreOn(place, systemClock, migrations.slice(0, -1))).close();
    const { seen, decide } = loseEachTwice();
    const proxy = await startDatabaseProxy(place.at, decide);
    onTestFinished(() => proxy.close());
    const folder = temporaryFolder();
    onTestFinished(() => folder.remove());
    const flags = { data: folder.path, store: proxy.url, port: '0', demo: 'true', demoReceiverPort: '0' };
    const { settings } = readConfiguration({ flags, environment: {}, file: undefined });
    const waits: LogFields[] = [];
    const log = { ...silentLog, warn: (fields: LogFields) => void waits.push(fields) };
    const closeStack = createCloseStack(log);
    const context = { settings, clock: impatientClock(), log, closeStack };
    try {
      const text = await start(context, [], {
        onBroken: () => undefined,
        isStopping: () => false,
        droppedLogLines: () => 0,
        rereads: { add: () => undefined },
      });
      expect(text).toContain('Stop with');
    } finally {
      await closeStack.close();
    }
    expect(seen.size).toBeGreaterThan(20);
    expect(waits.length).toBeGreaterThan(20);
  });
});

describe('[DEC24] the retries of a start', () => {
  const away = () => Promise.reject(new StewardError('unavailable', 'away', { cause: new Error('refused') }));
  const postgres = { kind: 'postgres', at: 'postgres://db.example/steward', connections: 2 } as const;
  const sqlite = { kind: 'sqlite', at: '/data/steward.db', connections: 1 } as const;

  test('each step waits for PostgreSQL for a minute and then fails', async () => {
    const clock = manualClock();
    const retry = createStoreRetry(postgres, { clock, log: silentLog });
    const began = clock.now();
    for (const step of [1, 2]) {
      await expect(clock.until('the step fails', retry(away))).rejects.toThrow('away');
      expect(clock.now() - began).toBeGreaterThanOrEqual(step * 60 * SECOND);
    }
    expect(clock.now() - began).toBeLessThan(130 * SECOND);
  });

  test('the embedded store is not waited for', async () => {
    const clock = manualClock();
    await expect(createStoreRetry(sqlite, { clock, log: silentLog })(away)).rejects.toThrow('away');
    expect(clock.sleepers()).toBe(0);
  });
});

import { afterAll, afterEach } from 'vitest';
import type { UpgradeServer, UpgradeServerOptions } from './upgradeServer.ts';
import { startUpgradeServer } from './upgradeServer.ts';

/** One server for all tests that ask for the same options, reset for each: a start takes longer than most tests. */
export function sharedServers() {
  const started = new Map<string, Promise<UpgradeServer>>();
  return {
    async start({
      inventory,
      ...options
    }: Omit<UpgradeServerOptions, 'server' | 'isAdopted'> = {}): Promise<UpgradeServer> {
      const key = JSON.stringify(options);
      const known = started.get(key) ?? startUpgradeServer(options);
      started.set(key, known);
      const steward = await known;
      await steward.reset(inventory);
      return steward;
    },
    async close(): Promise<void> {
      for (const one of started.values()) await (await one).close();
    },
  };
}

/** The servers of one test file: shared ones, and for a test that leaves traces one that is closed after it. */
export function serversForTests() {
  const shared = sharedServers();
  let own: readonly UpgradeServer[] = [];
  afterEach(async () => {
    for (const one of own) await one.close();
    own = [];
  });
  afterAll(() => shared.close());
  return {
    shared: shared.start,
    async own(options: UpgradeServerOptions = {}): Promise<UpgradeServer> {
      const started = await startUpgradeServer(options);
      own = [...own, started];
      return started;
    },
  };
}

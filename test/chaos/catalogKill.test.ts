import { rmSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { StewardProcess } from '../support/server/stewardProcess.ts';
import { startSteward, storeSetting } from '../support/server/stewardProcess.ts';
import type { StoreKind } from '../support/store/stores.ts';
import { IS_SOAK } from '../support/run/limits.ts';
import { until } from '../support/run/until.ts';
import { eachStore, rowsOf } from '../support/store/stores.ts';
import { temporaryFolder } from '../support/run/runFolder.ts';

const ROUNDS = IS_SOAK ? 500 : 3;
const CLIENTS = 8;
/** How many services are published between two kills at most. */
const MOST_PER_ROUND = 100;

eachStore((kind) => {
  let made: Awaited<ReturnType<StoreKind['place']>>;
  let folder: ReturnType<typeof temporaryFolder>;
  let steward: StewardProcess | undefined;

  beforeEach(async () => {
    folder = temporaryFolder();
    made = await kind.place();
  });
  afterEach(async () => {
    await steward?.end('SIGKILL');
    await made.remove();
    rmSync(folder.path, { recursive: true, force: true });
  });

  const place = () => (kind.engine === 'sqlite' ? { ...made.place, at: `${folder.path}/steward.db` } : made.place);

  /** Publishes services one after the other until the server is gone, and notes the acknowledged ones. */
  async function publish(
    server: StewardProcess,
    token: string,
    prefix: string,
    acknowledged: Set<string>,
  ): Promise<void> {
    for (let n = 0; ; n += 1) {
      const serviceName = `${prefix}n${n}`;
      try {
        const { status } = await server.post('/admin/services/createService', { token, serviceName, type: 'Map' });
        if (status === 200) acknowledged.add(serviceName);
      } catch {
        return;
      }
    }
  }

  async function names(
    table: string,
    column: string,
    keep: (row: Record<string, unknown>) => boolean,
  ): Promise<readonly string[]> {
    const rows = await rowsOf(place(), table);
    return rows
      .filter(keep)
      .map((row) => String(row[column]))
      .toSorted();
  }

  test(`after ${ROUNDS} kills with kill -9, acknowledged services are complete, and others are complete or absent`, async () => {
    const acknowledged = new Set<string>();
    let token: string | undefined;
    for (let round = 0; round < ROUNDS; round += 1) {
      steward = await startSteward({ data: folder.path, env: { STEWARD_STORE: storeSetting(made.place) } });
      token ??= await steward.token({ expiration: '20160' });
      const server = steward;
      // An inactive webhook: events are stored for it, and none is sent.
      if (round === 0) {
        const hook = { name: 'all', hookUrl: 'http://127.0.0.1:1/', active: 'false' };
        await server.post('/admin/system/webhooks/create', { token, ...hook });
      }
      const clients = Array.from({ length: CLIENTS }, (_, client) =>
        publish(server, token ?? '', `r${round}c${client}`, acknowledged),
      );
      const enough = acknowledged.size + 1 + Math.random() * MOST_PER_ROUND;
      await until('enough services are published', () => acknowledged.size >= enough);
      await server.end('SIGKILL');
      await Promise.all(clients);
    }
    steward = await startSteward({ data: folder.path, env: { STEWARD_STORE: storeSetting(made.place) } });
    const services = await names('service', 'name', () => true);
    await until('the outbox is empty', async () => (await rowsOf(place(), 'outbox')).length === 0);
    const events = await names('event', 'name', ({ event_type }) => event_type === 'service.created');
    const notes = (await names('audit', 'target', ({ action }) => action === 'service.create'))
      .map((target) => target.replace(/^service (.*)\.Map$/, '$1'))
      .toSorted();
    expect([...acknowledged].filter((name) => !services.includes(name))).toEqual([]);
    expect(events).toEqual(services);
    expect(notes).toEqual(services);
    expect(acknowledged.size).toBeGreaterThan(ROUNDS);
  });
});

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/foundation/clock.ts';
import { silentLog } from '../../src/foundation/log.ts';
import { createPostgresPair } from '../../src/drivers/database/postgresPair.ts';
import { checkDatabase, openDatabase } from '../../src/service/start/database.ts';
import { openStore } from '../../src/store/store.ts';
import { memoryDocuments } from '../support/database/memoryDocuments.ts';
import type { PostgresPair } from '../support/database/pair.ts';
import { startPair } from '../support/database/pair.ts';
import { postgresPrograms } from '../support/store/postgres.ts';

const dependencies = { documents: memoryDocuments(), clock: systemClock };

describe.skipIf(postgresPrograms() === undefined)(
  '[DEC55] the store of Steward and the database that it upgrades',
  () => {
    let pair: PostgresPair;
    beforeAll(async () => {
      pair = await startPair();
    });
    afterAll(() => pair?.stop());

    const REFUSAL =
      'STEWARD_STORE is on the server a of STEWARD_DATABASE. An upgrade stops that server, and the job needs its journal all the time.';
    const settingsOf = (url: string) => ({ database: pair.instances, databaseCommand: '/bin/true', store: url });

    test.each([
      ['its only server', (url: string) => url],
      ['one of its servers', (url: string) => url.replace('127.0.0.1', 'db-1.test:5433,127.0.0.1')],
    ])('the start refuses one server for both, under the same address as %s', (_, changed) => {
      expect(() => checkDatabase(settingsOf(changed(pair.clientUrl('a'))))).toThrow(REFUSAL);
    });

    test('the start refuses one server for both, under another name of the machine', async () => {
      // A client of the pair may not create tables.
      const url = pair.instances[0].url.replace('127.0.0.1', 'localhost');
      const settings = settingsOf(url);
      checkDatabase(settings);
      const store = await openStore({ kind: 'postgres', at: url, connections: 1 }, { ...dependencies, log: silentLog });
      onTestFinished(() => store.close());
      const storeSystemId = await store.serverId();
      await expect(openDatabase(settings, { ...dependencies, storeSystemId })).rejects.toThrow(REFUSAL);
    });

    test('the plan refuses it too, because a server may not have answered at the start', async () => {
      const [row] = await pair.query('b', 'SELECT system_identifier::text AS id FROM pg_control_system()');
      const options = { ...dependencies, instances: pair.instances, runCommand: pair.command };
      const database = createPostgresPair({ ...options, storeSystemId: String(row?.['id']) });
      expect((await database.describe())?.trouble).toContain('STEWARD_STORE is on the server a of STEWARD_DATABASE.');
    });

    test('the pair needs a command', () => {
      const settings = { database: pair.instances, databaseCommand: undefined, store: 'sqlite' };
      expect(() => checkDatabase(settings)).toThrow('needs STEWARD_DATABASE_COMMAND');
    });
  },
);

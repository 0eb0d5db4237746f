import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/foundation/clock.ts';
import { createPostgresPair } from '../../src/drivers/database/postgresPair.ts';
import { openDatabase } from '../../src/service/start/database.ts';
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

    test.each([
      ['under the same address', (url: string) => url],
      ['under another name of the machine', (url: string) => url.replace('127.0.0.1', 'localhost')],
    ])('the start refuses one server for both, %s', async (_, renamed) => {
      const settings = { database: pair.instances, databaseCommand: '/bin/true' };
      const store = renamed(pair.clientUrl('a'));
      await expect(openDatabase({ ...settings, store }, dependencies)).rejects.toThrow(
        'STEWARD_STORE is on the server a of STEWARD_DATABASE. An upgrade stops that server, and the job needs its journal all the time.',
      );
    });

    test('the plan refuses it too, because a server may not have answered at the start', async () => {
      const [row] = await pair.query('b', 'SELECT system_identifier::text AS id FROM pg_control_system()');
      const options = { ...dependencies, instances: pair.instances, runCommand: pair.command };
      const database = createPostgresPair({ ...options, storeSystemId: String(row?.['id']) });
      expect((await database.describe())?.trouble).toContain('STEWARD_STORE is on the server a of STEWARD_DATABASE.');
    });

    test('the pair needs a command', async () => {
      const settings = { database: pair.instances, databaseCommand: undefined, store: 'sqlite' };
      await expect(openDatabase(settings, dependencies)).rejects.toThrow('needs STEWARD_DATABASE_COMMAND');
    });
  },
);

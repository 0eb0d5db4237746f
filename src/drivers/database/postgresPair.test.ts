import { expect, test } from 'vitest';
import { memoryDocuments } from '../../../test/support/database/memoryDocuments.ts';
import { until } from '../../../test/support/run/until.ts';
import type { DocumentStore } from '../../foundation/documentStore.ts';
import { createPostgresPair } from './postgresPair.ts';

const INSTANCES = [
  { name: 'a', url: 'postgres://127.0.0.1:1/a' },
  { name: 'b', url: 'postgres://127.0.0.1:1/b' },
] as const;

test('[DEC55] the end of a phase is recorded also if the store does not answer for a while', async () => {
  const documents = memoryDocuments();
  let failures = 0;
  const away: DocumentStore = {
    ...documents,
    async change(prefixes, decide) {
      if (failures > 0) {
        failures -= 1;
        throw new Error('the store is away');
      }
      await documents.change(prefixes, decide);
    },
  };
  const database = createPostgresPair({
    instances: INSTANCES,
    documents: away,
    clock: { now: () => 0, sleep: async () => undefined },
    storeSystemId: undefined,
    async runCommand() {
      failures = 3;
      return [];
    },
  });
  const act = { kind: 'database', phase: 'roles', run: '1', primary: 'a', standby: 'b', version: '2.0' } as const;
  expect(await database.begin(act, 1)).toEqual({ kind: 'begun' });
  await until('the phase has ended', async () => (await database.observe([act]))[0]?.state === 'done');
  expect(failures).toBe(0);
});

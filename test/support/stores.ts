import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { inject } from 'vitest';
import { newId } from '../../src/foundation/ids.ts';
import type { StorePlace } from '../../src/store/store.ts';

export interface StoreKind {
  /** Says in a test's title why it was left out, where it was. */
  readonly title: string;
  readonly isHere: boolean;
  /** A new, empty place; `remove` when the test is done. */
  place(): Promise<{ readonly place: StorePlace; remove(): Promise<void> }>;
}

const postgresUrl = inject('postgresUrl');

export function temporaryFolder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'steward-test-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Runs SQL on the server of the tests, for what the ports of Steward do not show. */
export async function queryPostgres(url: string, sql: string): Promise<readonly Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

const sqlite: StoreKind = {
  title: 'on SQLite',
  isHere: true,
  async place() {
    const folder = temporaryFolder();
    return {
      place: { kind: 'sqlite', at: join(folder.path, 'steward.db'), connections: 1 },
      remove: async () => folder.remove(),
    };
  },
};

const postgres: StoreKind = {
  title: postgresUrl === '' ? 'on PostgreSQL (left out: this machine has no PostgreSQL server)' : 'on PostgreSQL',
  isHere: postgresUrl !== '',
  async place() {
    const name = `t_${newId()}`;
    await queryPostgres(postgresUrl, `create database ${name}`);
    return {
      place: { kind: 'postgres', at: postgresUrl.replace(/\/postgres$/, `/${name}`), connections: 5 },
      remove: async () => {
        await queryPostgres(postgresUrl, `drop database ${name} with (force)`);
      },
    };
  },
};

export const storeKinds: readonly StoreKind[] = [sqlite, postgres];
export { postgres as postgresKind };

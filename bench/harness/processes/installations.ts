import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { StoreLocation } from '../../../src/store/store.ts';
import type { Postgres } from './postgres.ts';
import { startPostgres } from './postgres.ts';
import type { Steward } from './steward.ts';
import { startSteward } from './steward.ts';
import { workFolder } from './workspace.ts';

export const STORES = ['SQLite', 'PostgreSQL'] as const;
export const OVER_TLS = 'PostgreSQL over TLS';
export type StoreName = (typeof STORES)[number];

/** Where one Steward, or several replicas of it, keep their data. */
export interface Installation {
  readonly folder: string;
  readonly data: string;
  readonly store: StoreLocation;
}

export interface Installations {
  /** Prepares a new and empty installation. */
  create(store: StoreName | typeof OVER_TLS, name: string): Promise<Installation>;
  start(installation: Installation, environment?: Readonly<Record<string, string>>): Promise<Steward>;
  /** Vacuums and analyzes the databases of all installations. */
  vacuumDatabases(): Promise<void>;
  /** Drops the databases of all installations, which have ended. */
  dropDatabases(): Promise<void>;
  /** CPU time that PostgreSQL has used so far, in µs. */
  postgresCpu(): number;
  /** Counts the statements that match, of all replicas that were started on a `logged` installation. */
  countStatements(pattern: RegExp): number;
  end(): Promise<void>;
}

/** The same installation, for a replica whose statements PostgreSQL writes to its log. */
export function logged(installation: Installation): Installation {
  const { store } = installation;
  if (store.kind === 'sqlite') return installation;
  const at = new URL(store.at);
  at.searchParams.set('options', '-c log_statement=all');
  return { ...installation, store: { ...store, at: at.href } };
}

/** Creates installations below the work folder. PostgreSQL is started when the first one needs it. */
export function createInstallations(): Installations {
  let postgres: Postgres | undefined;
  return {
    async create(storeName, name) {
      const folder = join(workFolder(), name);
      const data = join(folder, 'data');
      mkdirSync(data, { recursive: true });
      if (storeName === 'SQLite')
        return { folder, data, store: { kind: 'sqlite', at: join(data, 'steward.db'), connections: 1 } };
      postgres ??= await startPostgres();
      const { plain, overTls } = await postgres.createDatabase(name);
      const at = storeName === OVER_TLS ? overTls : plain;
      return { folder, data, store: { kind: 'postgres', at, connections: 10 } };
    },
    start: ({ folder, store }, environment = {}) =>
      startSteward(folder, { ...(store.kind === 'sqlite' ? {} : { STEWARD_STORE: store.at }), ...environment }),
    vacuumDatabases: async () => postgres?.vacuumDatabases(),
    dropDatabases: async () => postgres?.dropDatabases(),
    postgresCpu: () => postgres?.cpu() ?? 0,
    countStatements: (pattern) => postgres?.countStatements(pattern) ?? 0,
    end: async () => postgres?.end(),
  };
}

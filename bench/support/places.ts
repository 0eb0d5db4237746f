import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Postgres } from './postgres.ts';
import { startPostgres } from './postgres.ts';
import type { Bar } from './report.ts';
import type { Client } from './steward.ts';
import { startSteward } from './steward.ts';

export const STORES = ['SQLite', 'PostgreSQL'] as const;
export type StoreName = (typeof STORES)[number];

/** What one part of a benchmark found. */
export interface Found {
  readonly bars: readonly Bar[];
  /** What made its numbers worthless, in words. */
  readonly noise?: string | undefined;
  print(): void;
}

/** The data folder, and the address of the database where it is PostgreSQL. */
export interface Place {
  readonly data: string;
  readonly postgres: string | undefined;
}

export interface Places {
  /** A new and empty place. */
  place(store: StoreName, name: string): Promise<Place>;
  start(place: Place, more?: Readonly<Record<string, string>>): Promise<Client>;
  /** CPU time that PostgreSQL has used so far, where it runs. */
  postgresCpu(): number;
  /** How many statements with these words were sent so far by those who were started in a place `watched`. */
  statements(words: string): number;
  end(): Promise<void>;
}

/** The same place, for a replica whose statements PostgreSQL writes down. */
export function watched(place: Place): Place {
  return { ...place, postgres: place.postgres && `${place.postgres}?options=-c%20log_statement%3Dall` };
}

export function openPlaces(project: string, folder: string): Places {
  let postgres: Promise<Postgres> | undefined;
  let running: Postgres | undefined;
  return {
    async place(store, name) {
      const data = join(folder, name, 'data');
      mkdirSync(data, { recursive: true });
      if (store === 'SQLite') return { data, postgres: undefined };
      postgres ??= startPostgres(folder);
      running = await postgres;
      return { data, postgres: await running.create(name) };
    },
    start: ({ data, postgres: url }, more = {}) =>
      startSteward(project, join(data, '..'), { ...(url === undefined ? {} : { STEWARD_STORE: url }), ...more }),
    postgresCpu: () => running?.cpu() ?? 0,
    statements: (words) => running?.statements(words) ?? 0,
    end: async () => running?.end(),
  };
}

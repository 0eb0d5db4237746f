import type { AccessStore } from '../access/accessStore.ts';
import type { CatalogStore } from '../catalog/catalogStore.ts';
import type { Clock } from '../foundation/clock.ts';
import type { Log } from '../foundation/log.ts';
import type { ModeStore } from '../upgrades/modeStore.ts';
import { accessTables } from './accessTables.ts';
import { catalogTables } from './catalogTables.ts';
import type { Engine } from './engine.ts';
import { migrate } from './migrate.ts';
import type { Migration } from './migrations.ts';
import { migrations } from './migrations.ts';
import { modeTables } from './modeTables.ts';
import type { Revisions } from './revisions.ts';
import { createRevisions } from './revisions.ts';

export interface StorePlace {
  /** A file for SQLite, or a `postgres://` address. */
  readonly kind: 'sqlite' | 'postgres';
  readonly at: string;
  readonly connections: number;
}

export interface Store {
  readonly access: AccessStore;
  readonly catalog: CatalogStore;
  readonly mode: ModeStore;
  readonly revisions: Revisions;
  /** The names of the migrations that this start applied. */
  readonly migrated: readonly string[];
  /** Rejects when the store cannot be read. */
  ping(): Promise<void>;
  /** The second call waits for the first. */
  close(): Promise<void>;
}

async function openEngine(place: StorePlace, log: Log): Promise<Engine> {
  // Each engine's package is loaded only where it is used.
  if (place.kind === 'postgres') return (await import('./postgres.ts')).openPostgres(place.at, log, place.connections);
  return (await import('./sqlite.ts')).openSqlite(place.at);
}

export async function openStore(
  place: StorePlace,
  needs: { readonly clock: Clock; readonly log: Log; readonly migrations?: readonly Migration[] },
): Promise<Store> {
  const { clock, log } = needs;
  const engine = await openEngine(place, log);
  try {
    const migrated = await migrate(engine, needs.migrations ?? migrations, clock);
    const revisions = createRevisions(engine, clock, log, place.kind === 'sqlite');
    const tables = { engine, clock, revisions };
    let closed: Promise<void> | undefined;
    const close = async (): Promise<void> => {
      await revisions.stop();
      await engine.close();
    };
    return {
      access: accessTables(tables),
      catalog: catalogTables(tables),
      mode: modeTables(tables),
      revisions,
      migrated,
      ping: async () => {
        await engine.query('select 1 as one');
      },
      close: () => (closed ??= close()),
    };
  } catch (error) {
    await engine.close();
    throw error;
  }
}

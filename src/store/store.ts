import type { AccessStore } from '../access/accessStore.ts';
import type { CatalogStore } from '../catalog/catalogStore.ts';
import type { Clock } from '../foundation/clock.ts';
import { SECOND } from '../foundation/clock.ts';
import type { Documents } from '../foundation/documents.ts';
import { reasonOf } from '../foundation/errors.ts';
import type { Log } from '../foundation/log.ts';
import type { JobStore } from '../jobs/jobStore.ts';
import type { ModeStore } from '../upgrades/modeStore.ts';
import type { UpgradeStore } from '../upgrades/upgradeStore.ts';
import type { UploadStore } from '../upgrades/uploadStore.ts';
import type { WebhookStore } from '../webhooks/webhookStore.ts';
import { accessTables } from './accessTables.ts';
import { catalogTables } from './catalogTables.ts';
import { claimTables } from './claimTables.ts';
import { deliveryTables } from './deliveryTables.ts';
import { documentTables } from './documentTables.ts';
import type { Engine } from './engine.ts';
import { eventTables } from './eventTables.ts';
import { jobTables } from './jobTables.ts';
import { migrate } from './migrate.ts';
import type { Migration } from './migrations.ts';
import { migrations } from './migrations.ts';
import { modeTables } from './modeTables.ts';
import type { Revisions } from './revisions.ts';
import { createRevisions } from './revisions.ts';
import { settleTables } from './settleTables.ts';
import { upgradeTables } from './upgradeTables.ts';
import { uploadTables } from './uploadTables.ts';
import { webhookTables } from './webhookTables.ts';

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
  readonly webhooks: WebhookStore;
  readonly jobs: JobStore;
  readonly uploads: UploadStore;
  readonly upgrades: UpgradeStore;
  readonly documents: Documents;
  readonly revisions: Revisions;
  /** The names of the migrations that this start applied. */
  readonly migrated: readonly string[];
  /** What keeps the store from being used, in words. */
  obstacles(): Promise<readonly string[]>;
  /** The second call waits for the first. */
  close(): Promise<void>;
}

export interface StoreNeeds {
  readonly clock: Clock;
  readonly log: Log;
  readonly migrations?: readonly Migration[];
  /** The disk of the embedded store has failed: nothing can be promised until the process starts anew. */
  readonly onBroken?: (reason: string) => void;
}

const SILENT_TOO_LONG_MS = 5 * SECOND;

async function openEngine(place: StorePlace, needs: StoreNeeds): Promise<Engine> {
  // Each engine's package is loaded only where it is used.
  if (place.kind === 'postgres')
    return (await import('./postgres.ts')).openPostgres(place.at, needs.log, place.connections);
  return (await import('./sqlite.ts')).openSqlite(place.at, needs);
}

export async function openStore(place: StorePlace, needs: StoreNeeds): Promise<Store> {
  const { clock, log } = needs;
  const engine = await openEngine(place, needs);
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
      webhooks: {
        ...webhookTables(tables),
        ...eventTables(tables),
        ...claimTables(tables),
        ...settleTables(tables),
        ...deliveryTables(tables),
      },
      jobs: jobTables(tables),
      uploads: uploadTables(tables),
      upgrades: upgradeTables(tables),
      documents: documentTables(tables),
      revisions,
      migrated,
      obstacles: async () => {
        const silentMs = revisions.silentForMs();
        const silence =
          silentMs < SILENT_TOO_LONG_MS
            ? []
            : [`nothing was heard of the other replicas for ${Math.round(silentMs / 1000)} s`];
        const reached = await engine.query('select 1 as one').then(
          () => [],
          (error: unknown) => [`the store cannot be reached: ${reasonOf(error)}`],
        );
        return [...reached, ...silence];
      },
      close: () => (closed ??= close()),
    };
  } catch (error) {
    await engine.close();
    throw error;
  }
}

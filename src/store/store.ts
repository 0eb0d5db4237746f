import type { AccessStore } from '../access/accessStore.ts';
import type { CatalogStore } from '../catalog/catalogStore.ts';
import type { Clock } from '../foundation/clock.ts';
import { SECOND } from '../foundation/clock.ts';
import type { DocumentStore } from '../foundation/documentStore.ts';
import { reasonOf } from '../foundation/errors.ts';
import type { Log } from '../foundation/log.ts';
import type { JobStore } from '../jobs/jobStore.ts';
import type { ModeStore } from '../system/modeStore.ts';
import type { UpgradeStore } from '../upgrades/ports/upgradeStore.ts';
import type { UploadStore } from '../system/uploadStore.ts';
import type { WebhookStore } from '../webhooks/ports/webhookStore.ts';
import { createAccessStore } from './access/accessStore.ts';
import { createCatalogStore } from './catalog/catalogStore.ts';
import { claimMethods } from './webhooks/claims.ts';
import { retentionMethods } from './webhooks/retention.ts';
import { deliveryMethods } from './webhooks/deliveries.ts';
import { createDocumentStore } from './system/documentStore.ts';
import type { Engine } from './engine/engine.ts';
import { eventMethods } from './webhooks/events.ts';
import { createJobStore } from './jobs/jobStore.ts';
import { migrate } from './engine/migrate.ts';
import type { Migration } from './engine/migrations.ts';
import { migrations } from './engine/migrations.ts';
import { createModeStore } from './system/modeStore.ts';
import type { Revisions } from './engine/revisions.ts';
import { createRevisions } from './engine/revisions.ts';
import { settlementMethods } from './webhooks/settlements.ts';
import { createUpgradeStore } from './upgrades/upgradeStore.ts';
import { createUploadStore } from './system/uploadStore.ts';
import { webhookMethods } from './webhooks/webhooks.ts';

export interface StoreLocation {
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
  readonly documents: DocumentStore;
  readonly revisions: Revisions;
  /** The names of the migrations that this start applied. */
  readonly migrated: readonly string[];
  /** What keeps the store from being used, in words. */
  obstacles(): Promise<readonly string[]>;
  /** The second call waits for the first. */
  close(): Promise<void>;
}

export interface StoreOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly migrations?: readonly Migration[];
  /** The disk of the embedded store has failed: nothing can be promised until the process starts anew. */
  readonly onBroken?: (reason: string) => void;
}

const SILENT_TOO_LONG_MS = 5 * SECOND;

async function openEngine(place: StoreLocation, needs: StoreOptions): Promise<Engine> {
  // Each engine's package is loaded only where it is used.
  if (place.kind === 'postgres')
    return (await import('./engine/postgres.ts')).openPostgres(place.at, needs.log, place.connections);
  return (await import('./engine/sqlite/sqlite.ts')).openSqlite(place.at, needs);
}

export async function openStore(place: StoreLocation, needs: StoreOptions): Promise<Store> {
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
      access: createAccessStore(tables),
      catalog: createCatalogStore(tables),
      mode: createModeStore(tables),
      webhooks: {
        ...webhookMethods(tables),
        ...eventMethods(tables),
        ...claimMethods(tables),
        ...settlementMethods(tables),
        ...deliveryMethods(tables),
        ...retentionMethods(tables),
      },
      jobs: createJobStore(tables),
      uploads: createUploadStore(tables),
      upgrades: createUpgradeStore(tables),
      documents: createDocumentStore(tables),
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

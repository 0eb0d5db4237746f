// Opens the store and gives each area its port. The engines are in `engine/`; each other folder implements one area's ports.
import type { Clock } from '../foundation/clock.ts';
import { SECOND } from '../foundation/clock.ts';
import { StewardError, reasonOf } from '../foundation/errors.ts';
import { sizeOf } from '../foundation/files/fileSize.ts';
import type { Log } from '../foundation/log.ts';
import { createAccessStore } from './access/accessStore.ts';
import { createCatalogStore } from './catalog/catalogStore.ts';
import { createDocumentStore } from './system/documentStore.ts';
import type { BegunEpoch, EpochOptions } from './backup/beginEpoch.ts';
import { beginEpoch } from './backup/beginEpoch.ts';
import type { Engine } from './engine/engine.ts';
import { UNREACHABLE } from './engine/engine.ts';
import { createJobStore } from './jobs/jobStore.ts';
import { codec, text } from './engine/codec.ts';
import { migrate } from './engine/migrate.ts';
import type { Migration } from './engine/migrations.ts';
import { migrations } from './engine/migrations.ts';
import { createInstallationStore } from './system/installationStore.ts';
import { createModeStore } from './system/modeStore.ts';
import { numbers, rows } from './engine/script.ts';
import type { FoundStore, Questions } from './foundStore.ts';
import { readFound } from './foundStore.ts';
import { cannotOpenStore } from './engine/sqlite/storeTrouble.ts';
import type { Revisions } from './engine/revisions.ts';
import { createRevisions } from './engine/revisions.ts';
import { createStoreTime } from './engine/storeTime.ts';
import { refuseUnfinishedMove } from './engine/moveMarker.ts';
import type { TableDependencies } from './transaction.ts';
import { transaction } from './transaction.ts';
import { createUpgradeStore } from './upgrades/upgradeStore.ts';
import { createUploadStore } from './system/uploadStore.ts';
import { createWebhookStore } from './webhooks/webhookStore.ts';

export type { FoundStore } from './foundStore.ts';

export interface StoreLocation {
  readonly kind: 'sqlite' | 'postgres';
  /** A file for SQLite, or a `postgres://` address. */
  readonly at: string;
  /** The size of the connection pool; without meaning for SQLite. */
  readonly connections: number;
}

/** Each area's port, on one engine. */
function createPorts(dependencies: TableDependencies) {
  return {
    access: createAccessStore(dependencies),
    catalog: createCatalogStore(dependencies),
    mode: createModeStore(dependencies),
    webhooks: createWebhookStore(dependencies),
    jobs: createJobStore(dependencies),
    uploads: createUploadStore(dependencies),
    upgrades: createUpgradeStore(dependencies),
    documents: createDocumentStore(dependencies),
    installation: createInstallationStore(dependencies),
  };
}

export interface Store extends Readonly<ReturnType<typeof createPorts>> {
  readonly revisions: Revisions;
  /** The time of the store, which all replicas share. */
  readonly clock: Clock;
  /** By how much the clock of the store is ahead of the one of this machine. */
  clockSkewMs(): number;
  /** The names of the migrations that this start applied. */
  readonly migrated: readonly string[];
  /** Identifies the database server of the store, and its standbys; undefined if there is none. */
  serverId(): Promise<string | undefined>;
  /** Lists the reasons why the store cannot be used now. */
  obstacles(): Promise<readonly string[]>;
  /** Whether other replicas can see that this one runs. */
  isPresent(): boolean;
  /** After a restore. No server may run on the store. */
  beginEpoch(options: Pick<EpochOptions, 'holds'>): Promise<BegunEpoch>;
  /** Closes the store. A second call waits for the first. */
  close(): Promise<void>;
}

/** What may refuse a store, by throwing. A store that is refused is left as it was: neither created nor migrated. */
export interface Review {
  readonly questions: Questions;
  /** Called with what is there; undefined if there is no store, or an empty one. */
  check(found: FoundStore | undefined): void;
}

export interface StoreOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly migrations?: readonly Migration[];
  /** Decides whether the store may be used. */
  readonly review?: Review;
  /** Called when the disk of the embedded engine has failed. The store accepts no more writes until the process is restarted. */
  readonly onBroken?: (reason: string) => void;
  /** Whether closing an embedded store removes its side files. For a process that ends: it takes a garbage collection. */
  readonly leavesOneFile?: boolean;
}

const SILENT_TOO_LONG_MS = 5 * SECOND;

async function openEngine(location: StoreLocation, options: StoreOptions): Promise<Engine> {
  // Opening the file would create it.
  if (location.kind === 'sqlite' && sizeOf(location.at) === 0) options.review?.check(undefined);
  // Imported here, so that only the package of the engine in use is loaded.
  if (location.kind === 'postgres')
    return (await import('./engine/postgres.ts')).openPostgres(location.at, options.log, location.connections);
  return (await import('./engine/sqlite/sqlite.ts')).openSqlite(location.at, options);
}

/** The cause stays in the log: it has the address of the database, and /readyz needs no token. */
function obstacleOf(reason: string): string {
  return reason === UNREACHABLE ? 'the store cannot be reached' : `the store cannot be reached: ${reason}`;
}

async function obstaclesOf(engine: Engine, revisions: Revisions): Promise<readonly string[]> {
  const silentMs = revisions.silentForMs();
  const silence =
    silentMs < SILENT_TOO_LONG_MS
      ? []
      : [`nothing was heard of the other replicas for ${Math.round(silentMs / 1000)} s`];
  const reached = await engine.read(rows('select 1 as one')).then(
    () => [],
    (error: unknown) => [obstacleOf(reasonOf(error))],
  );
  const obstacles = engine.obstacles();
  // A trouble that has a name also explains why the store did not answer.
  return [...obstacles, ...(obstacles.length > 0 ? [] : reached), ...silence];
}

const serverIds = codec({ id: text('id') });

async function readServerId({ dialect, read }: Engine): Promise<string | undefined> {
  return dialect.serverId === undefined ? undefined : (await read(serverIds.first(dialect.serverId)))?.id;
}

/** Opens a store and migrates it to the schema of this release. */
export async function openStore(location: StoreLocation, options: StoreOptions): Promise<Store> {
  const { clock, log } = options;
  const engine = await openEngine(location, options);
  try {
    // Before, because a store that is being moved must keep the schema of its source; and again, because a move may have begun.
    await refuseUnfinishedMove(engine);
    const migrated = await migrate(engine, options.migrations ?? migrations, {
      clock,
      onEmpty: () => options.review?.check(undefined),
      *accept() {
        if (options.review !== undefined) options.review.check(yield* readFound(options.review.questions));
      },
    });
    await refuseUnfinishedMove(engine);
    const time = createStoreTime(clock, log);
    const revisions = createRevisions(engine, { clock, log, measured: time.measured }, location.kind === 'sqlite');
    await revisions.catchUp();
    let closed: Promise<void> | undefined;
    const close = async (): Promise<void> => {
      await revisions.stop();
      await engine.close();
    };
    const dependencies = { engine, clock: time.clock, revisions };
    return {
      ...createPorts(dependencies),
      revisions,
      clock: time.clock,
      clockSkewMs: time.skewMs,
      migrated,
      isPresent: engine.isPresent,
      serverId: () => readServerId(engine),
      obstacles: () => obstaclesOf(engine, revisions),
      beginEpoch: ({ holds }) =>
        transaction(dependencies, { closedWhen: 'never' }, function* () {
          const { otherServers } = engine.dialect;
          const [others = 0] = otherServers === undefined ? [] : yield* numbers(otherServers, engine.owner);
          if (others > 0)
            throw new StewardError('conflict', `Steward runs on this store (servers: ${others}). Stop it first.`);
          return yield* beginEpoch({ now: time.clock.now(), holds, hasQueue: true });
        }),
      close: () => (closed ??= close()),
    };
  } catch (error) {
    await engine.close();
    const isDisk = location.kind === 'sqlite' && error instanceof StewardError && error.code === 'unavailable';
    throw isDisk ? cannotOpenStore(location.at, error.cause) : error;
  }
}

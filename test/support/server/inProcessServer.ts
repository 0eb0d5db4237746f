import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { localActor } from '../../../src/model/actor.ts';
import type { Role } from '../../../src/model/actor.ts';
import type { Log, LogFields } from '../../../src/foundation/log.ts';
import { silentLog } from '../../../src/foundation/log.ts';
import { createSealer } from '../../../src/foundation/sealer.ts';
import type { ReplicaHealth } from '../../../src/http/metrics/healthMetrics.ts';
import { createMessageStreams } from '../../../src/http/admin/jobs/messageStream.ts';
import type { Route } from '../../../src/http/server/route.ts';
import type { Areas } from '../../../src/http/areas.ts';
import { routes } from '../../../src/http/routes.ts';
import type { ServerOptions } from '../../../src/http/server.ts';
import { createServer } from '../../../src/http/server.ts';
import { createDemo } from '../../../src/demo/deployment/demoDeployment.ts';
import { demoRoutes } from '../../../src/demo/demoHandlers.ts';
import { createInboxes } from '../../../src/demo/receiver/inbox.ts';
import { inboxRoutes } from '../../../src/demo/receiver/inboxRoutes.ts';
import { createAreas } from '../../../src/service/start/areas.ts';
import type { SimulatedDeployment } from '../../../src/drivers/simulated/simulatedDeployment.ts';
import { openSimulated } from '../../../src/drivers/simulated/simulatedDriver.ts';
import type { Store, StoreLocation } from '../../../src/store/store.ts';
import type { ManualClock } from '../clock/manualClock.ts';
import { manualClock } from '../clock/manualClock.ts';
import type { ScriptedReceiver } from '../webhooks/scriptedReceiver.ts';
import { scriptedReceiver } from '../webhooks/scriptedReceiver.ts';
import { PROJECT } from '../run/project.ts';
import { temporaryFolder } from '../run/runFolder.ts';
import { openStoreOn } from '../store/stores.ts';
import type { Client } from './client.ts';
import { createClient, inProcessTransport } from './client.ts';

/** The whole server in this process, on SQLite and on a clock that the test moves. */
export interface InProcessServer extends Client {
  readonly app: FastifyInstance;
  readonly areas: Areas;
  readonly store: Store;
  readonly place: StoreLocation;
  readonly simulated: SimulatedDeployment;
  /** All operations that the server has. */
  routes(): readonly Route[];
  readonly clock: ManualClock;
  readonly receiver: ScriptedReceiver;
  /** What was logged. */
  readonly lines: readonly LogFields[];
  /** A token of a user with this role; the user is created at the first call. */
  tokenOf(role: Role, more?: { readonly client?: 'referer'; readonly referer?: string }): Promise<string>;
  close(): Promise<void>;
}

const PASSWORD = 'password-of-the-test';

/** Several servers in this process may share a store and a clock, as replicas do. */
export interface SharedStore {
  readonly place: StoreLocation;
  readonly clock: ManualClock;
}

export interface AreaOptions {
  readonly auditRetentionDays: number | undefined;
  readonly upgradeParallel: number;
  readonly upgradeDeadlineSeconds: number;
  readonly manifestKey: string | undefined;
  readonly licenceKey: string | undefined;
  readonly clusterKinds: readonly string[];
  /** Where the areas log; nowhere unless given. */
  readonly log: Log;
}

const DEFAULTS: AreaOptions = {
  auditRetentionDays: undefined,
  upgradeParallel: 8,
  upgradeDeadlineSeconds: 1800,
  manifestKey: undefined,
  licenceKey: undefined,
  clusterKinds: [],
  log: silentLog,
};

const LIMITS = {
  tokenMinutes: 60,
  tokenLongestMinutes: 20_160,
  webhookConcurrency: 512,
  webhookConcurrencyEach: 16,
  webhookPace: 50,
  webhookRetentionDays: 30,
};

const CATALOG: ServerOptions['catalog'] = {
  namespace: 'http://www.svc.example/schemas/Product/10.0',
  alsoAccept: ['urn:older'],
  messageVersion: 'svcProductVersion10',
  messageFormats: 'svcServiceCatalogMessageFormatSoap',
  requiresTokens: false,
};

const ADDRESSES = { publicUrl: undefined, hasCompat: true, hasAliases: true, corsOrigins: [] };

const GIB = 1024 ** 3;
const CALLER = { address: '127.0.0.1', referer: undefined, requestId: 't' };

function tokensOf({ access }: Areas): InProcessServer['tokenOf'] {
  return async (role, client = {}) => {
    if (!(await access.accounts.list()).some(({ username }) => username === role)) {
      const account = { username: role, fullName: '', role, password: PASSWORD };
      await access.accounts.create(localActor('test'), account);
    }
    return (await access.signIn({ kind: 'login', username: role, password: PASSWORD, ...client }, CALLER)).secret;
  };
}

/** Keeps what is logged in a list. */
function listLog(lines: LogFields[]): Log {
  const keep = (fields: LogFields, message: string): void => void lines.push({ ...fields, message });
  return { debug: keep, info: keep, warn: keep, error: keep, request: (line) => keep({ ...line }, 'request') };
}

/** The routes of a demo, with a receiver that no webhook sends to. */
function routesOfDemo(dependencies: Parameters<typeof createDemo>[0]): readonly Route[] {
  const inboxes = inboxRoutes({ url: 'http://127.0.0.1:1', inboxes: createInboxes() });
  return [...demoRoutes(createDemo(dependencies), '/admin'), ...inboxes];
}

const COMMON = { version: '0.0.0', installation: 'test0001', root: '/admin', obstacles: async () => [] };

/** A replica that has no problem. */
const HEALTHY: Omit<ReplicaHealth, 'obstacles'> = {
  checkStore: async () => ({ obstacles: [], tookMs: 1 }),
  disk: () => ({ freeBytes: 8 * GIB, watermarkBytes: GIB / 4 }),
  isPresent: () => true,
  clockSkewMs: () => 0,
  certificateExpiresAt: () => undefined,
  droppedLogLines: () => 0,
};

/** Starts the whole server in this process. */
export async function startInProcess(
  serverOptions: Partial<ServerOptions> = {},
  areaOptions: Partial<AreaOptions> = {},
  shared?: SharedStore,
): Promise<InProcessServer> {
  const { manifestKey, licenceKey, log, ...limits } = { ...DEFAULTS, ...areaOptions };
  const folder = temporaryFolder();
  const receiver = scriptedReceiver();
  const clock = shared?.clock ?? manualClock();
  const lines: LogFields[] = [];
  const place = shared?.place ?? { kind: 'sqlite', at: `${folder.path}/steward.db`, connections: 1 };
  const store = await openStoreOn(place, clock);
  const driver = openSimulated({ documents: store.documents, clock });
  const simulated = driver.deployment;
  const sealer = createSealer([Buffer.alloc(32, 7)]);
  const surroundings = { installation: 'test', clock, log, receiver, sealer, driver, manifestKey, licenceKey };
  const areas = createAreas(store, { ...LIMITS, ...limits }, surroundings);
  const demo = routesOfDemo({ deployment: simulated, upgrades: areas.upgrades, clock });
  const app = createServer({
    console: { folder: join(PROJECT, 'dist/console'), isDemo: false, hasFirstPassword: () => false },
    areas,
    clock,
    sealer,
    demoRoutes: demo,
    log: listLog(lines),
    ...COMMON,
    ...HEALTHY,
    ...ADDRESSES,
    catalog: CATALOG,
    trustedProxies: [],
    maxConnections: 1000,
    tls: undefined,
    isDiskLow: () => false,
    ...serverOptions,
  });
  return {
    ...createClient(inProcessTransport(app)),
    app,
    areas,
    receiver,
    store,
    place,
    simulated,
    routes: () =>
      routes({ ...COMMON, home: COMMON.root, areas, clock, streams: createMessageStreams(), demoRoutes: demo }),
    clock,
    lines,
    tokenOf: tokensOf(areas),
    async close() {
      await app.close();
      await store.close();
      folder.remove();
    },
  };
}

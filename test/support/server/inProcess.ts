import type { FastifyInstance } from 'fastify';
import { localActor } from '../../../src/model/actor.ts';
import type { Role } from '../../../src/model/actor.ts';
import type { LogFields } from '../../../src/foundation/log.ts';
import { silentLog } from '../../../src/foundation/log.ts';
import { createSealer } from '../../../src/foundation/sealer.ts';
import type { Areas, Route } from '../../../src/http/server/routes.ts';
import type { ServerOptions } from '../../../src/http/server/server.ts';
import { createServer } from '../../../src/http/server/server.ts';
import { createDemo } from '../../../src/demo/demoDeployment.ts';
import { demoRoutes } from '../../../src/demo/demoHandlers.ts';
import { createAreas } from '../../../src/service/start/areas.ts';
import type { SimulatedDeployment } from '../../../src/drivers/simulated/simulatedDeployment.ts';
import { createSimulatedDeployment } from '../../../src/drivers/simulated/simulatedDeployment.ts';
import type { Store, StoreLocation } from '../../../src/store/store.ts';
import { openStore } from '../../../src/store/store.ts';
import type { ManualClock } from '../clock/manualClock.ts';
import { manualClock } from '../clock/manualClock.ts';
import type { ScriptedReceiver } from '../webhooks/scriptedReceiver.ts';
import { scriptedReceiver } from '../webhooks/scriptedReceiver.ts';
import { temporaryFolder } from '../run/runFolder.ts';

export interface InProcess {
  readonly app: FastifyInstance;
  readonly areas: Areas;
  readonly store: Store;
  readonly place: StoreLocation;
  readonly simulated: SimulatedDeployment;
  readonly demoRoutes: readonly Route[];
  readonly clock: ManualClock;
  readonly receiver: ScriptedReceiver;
  readonly lines: readonly LogFields[];
  /** Makes a user of that role and answers a token of the user. */
  tokenOf(role: Role, more?: { readonly client?: 'referer'; readonly referer?: string }): Promise<string>;
  post(
    url: string,
    fields?: Readonly<Record<string, string>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Posted>;
  close(): Promise<void>;
}

export interface Posted {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read answers of many shapes
  readonly body: any;
}

const PASSWORD = 'password-of-the-test';

/** What a test may ask of the areas. */
export interface World {
  readonly upgradeParallel: number;
  readonly upgradeDeadlineSeconds: number;
  readonly licenceKey: string | undefined;
  /** The store as the areas are to see it. */
  readonly seen: (store: Store) => Store;
}

const ORDINARY: World = {
  upgradeParallel: 8,
  upgradeDeadlineSeconds: 1800,
  licenceKey: undefined,
  seen: (store) => store,
};

/** The whole server on an embedded store, with a clock that stands still: for rules that a process would make slow to test. */
export async function startInProcess(
  more: Partial<ServerOptions> = {},
  world: Partial<World> = {},
): Promise<InProcess> {
  const { seen, licenceKey, upgradeParallel, upgradeDeadlineSeconds } = { ...ORDINARY, ...world };
  const folder = temporaryFolder();
  const receiver = scriptedReceiver();
  const clock = manualClock();
  const lines: LogFields[] = [];
  const keep = (fields: LogFields, message: string): void => void lines.push({ ...fields, message });
  const place: StoreLocation = { kind: 'sqlite', at: `${folder.path}/steward.db`, connections: 1 };
  const opened = await openStore(place, { clock, log: silentLog });
  const store = seen(opened);
  const simulated = createSimulatedDeployment({ documents: store.documents, clock });
  const areas = createAreas(
    store,
    {
      tokenMinutes: 60,
      tokenLongestMinutes: 20_160,
      webhookConcurrency: 512,
      webhookConcurrencyEach: 16,
      webhookPace: 50,
      webhookRetentionDays: 30,
      upgradeParallel,
      upgradeDeadlineSeconds,
    },
    {
      clock,
      log: silentLog,
      receiver,
      sealer: createSealer([Buffer.alloc(32, 7)]),
      simulated,
      licenceKey,
    },
  );
  const demo = demoRoutes(createDemo({ deployment: simulated, upgrades: areas.upgrades, clock }));
  const app = createServer({
    areas,
    demoRoutes: demo,
    log: { debug: keep, info: keep, warn: keep, error: keep, request: (line) => keep({ ...line }, 'request') },
    version: '0.0.0',
    root: '/admin',
    publicUrl: undefined,
    catalog: {
      namespace: 'http://www.svc.example/schemas/Product/10.0',
      alsoAccept: ['urn:older'],
      messageVersion: 'svcProductVersion10',
      messageFormats: 'svcServiceCatalogMessageFormatSoap',
      requiresTokens: false,
    },
    manifestKey: undefined,
    trustedProxies: [],
    tls: undefined,
    isDiskLow: () => false,
    obstacles: async () => [],
    ...more,
  });
  return {
    app,
    areas,
    receiver,
    store,
    place,
    simulated,
    demoRoutes: demo,
    clock,
    lines,
    async tokenOf(role, client = {}) {
      if (!(await areas.access.accounts.list()).some(({ username }) => username === role)) {
        await areas.access.accounts.create(localActor('test'), {
          username: role,
          fullName: '',
          role,
          password: PASSWORD,
        });
      }
      const caller = { address: '127.0.0.1', referer: undefined, requestId: 't' };
      return (await areas.access.signIn({ kind: 'login', username: role, password: PASSWORD, ...client }, caller))
        .secret;
    },
    async post(url, fields = {}, headers = {}) {
      const response = await app.inject({
        method: 'POST',
        url,
        payload: new URLSearchParams(fields).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      });
      const text = response.body;
      return {
        status: response.statusCode,
        headers: response.headers,
        text,
        body: /^[[{]/.test(text) ? JSON.parse(text) : undefined,
      };
    },
    async close() {
      await app.close();
      await opened.close();
      folder.remove();
    },
  };
}

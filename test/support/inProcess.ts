import type { FastifyInstance } from 'fastify';
import { localActor } from '../../src/foundation/actor.ts';
import type { Role } from '../../src/foundation/actor.ts';
import type { LogFields } from '../../src/foundation/log.ts';
import { silentLog } from '../../src/foundation/log.ts';
import { createSealer } from '../../src/foundation/sealing.ts';
import type { Areas } from '../../src/http/routes.ts';
import type { ServerOptions } from '../../src/http/server.ts';
import { createServer } from '../../src/http/server.ts';
import { createAreas } from '../../src/service/areas.ts';
import { openSimulated } from '../../src/service/deploying.ts';
import type { Store } from '../../src/store/store.ts';
import { openStore } from '../../src/store/store.ts';
import type { ManualClock } from './manualClock.ts';
import { manualClock } from './manualClock.ts';
import type { ScriptedReceiver } from './scriptedReceiver.ts';
import { scriptedReceiver } from './scriptedReceiver.ts';
import { temporaryFolder } from './stores.ts';

export interface InProcess {
  readonly app: FastifyInstance;
  readonly areas: Areas;
  readonly store: Store;
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

/** The whole server on an embedded store, with a clock that stands still: for rules that a process would make slow to test. */
export async function startInProcess(more: Partial<ServerOptions> = {}): Promise<InProcess> {
  const folder = temporaryFolder();
  const receiver = scriptedReceiver();
  const clock = manualClock();
  const lines: LogFields[] = [];
  const keep = (fields: LogFields, message: string): void => void lines.push({ ...fields, message });
  const store = await openStore(
    { kind: 'sqlite', at: `${folder.path}/steward.db`, connections: 1 },
    { clock, log: silentLog },
  );
  const areas = createAreas(
    store,
    {
      tokenMinutes: 60,
      tokenLongestMinutes: 20_160,
      webhookConcurrency: 512,
      webhookConcurrencyEach: 16,
      webhookPace: 50,
      webhookRetentionDays: 30,
      upgradeParallel: 8,
      upgradeDeadlineSeconds: 1800,
    },
    {
      clock,
      log: silentLog,
      receiver,
      sealer: createSealer([Buffer.alloc(32, 7)]),
      simulated: openSimulated({ deployment: 'simulated', demo: false }, store, clock),
      licenceKey: undefined,
    },
  );
  const app = createServer({
    areas,
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
        body: text.startsWith('{') ? JSON.parse(text) : undefined,
      };
    },
    async close() {
      await app.close();
      await store.close();
      folder.remove();
    },
  };
}

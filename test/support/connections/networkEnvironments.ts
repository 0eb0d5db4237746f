import type { Environment, Servers } from './environment.ts';
import type { Network, NetworkProxy } from './networkProxy.ts';
import { startNetworkProxy } from './networkProxy.ts';
import type { PgBouncerOptions } from './pgBouncer.ts';
import { startPgBouncer } from './pgBouncer.ts';
import { addressOf } from './testCluster.ts';

const SLOW = { delayMs: 20 };
const IDLE_MS = 1000;

async function through({ main, closeLater }: Servers, network: Network): Promise<NetworkProxy> {
  const proxy = await startNetworkProxy(main.server.port, network);
  closeLater(() => proxy.close());
  return proxy;
}

async function bouncerFor({ main, closeLater }: Servers, role: string, options: Omit<PgBouncerOptions, 'roles'>) {
  const bouncer = await startPgBouncer(main.server, { ...options, roles: [role] });
  closeLater(() => bouncer.stop());
  return bouncer;
}

export const NETWORK_ENVIRONMENTS: readonly Environment[] = [
  {
    title: 'with 20 ms of network each way',
    async prepare(servers) {
      const { port } = await through(servers, SLOW);
      const database = await servers.main.create();
      return { database, store: addressOf(database, { port }) };
    },
  },
  {
    title: 'over TLS with 20 ms of network each way',
    async prepare(servers) {
      const { port } = await through(servers, SLOW);
      const database = await servers.main.create({ proof: 'tls' });
      const parameters = { sslmode: 'verify-full', sslrootcert: servers.main.root };
      return { database, store: addressOf(database, { port, parameters }) };
    },
  },
  {
    title: 'behind a firewall that closes idle connections',
    async prepare(servers) {
      const { port } = await through(servers, { idleMs: IDLE_MS });
      const database = await servers.main.create();
      return { database, store: addressOf(database, { port }), losesConnections: true };
    },
  },
  {
    title: 'behind a firewall that forgets idle connections',
    async prepare(servers) {
      const { port } = await through(servers, { idleMs: IDLE_MS, whenIdle: 'forgotten' });
      const database = await servers.main.create();
      return { database, store: addressOf(database, { port }), losesConnections: true };
    },
  },
  {
    title: 'through PgBouncer in session mode',
    async prepare(servers) {
      const database = await servers.main.create();
      const { port } = await bouncerFor(servers, database.role, { poolMode: 'session' });
      return { database, store: addressOf(database, { port }) };
    },
  },
  {
    title: 'through PgBouncer in session mode, with TLS on both sides',
    async prepare(servers) {
      const database = await servers.main.create({ proof: 'tls' });
      const options = { poolMode: 'session', hasTls: true } as const;
      const { port } = await bouncerFor(servers, database.role, options);
      const parameters = { sslmode: 'verify-full', sslrootcert: servers.main.root };
      return { database, store: addressOf(database, { port, parameters }) };
    },
  },
];

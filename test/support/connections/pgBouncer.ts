import { chownSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { databaseFolder, spawnChild } from '../run/runFolder.ts';
import { until } from '../run/until.ts';
import type { PostgresServer } from '../store/postgres.ts';
import { freePort, unprivileged } from '../store/postgres.ts';

const PROGRAM = '/usr/sbin/pgbouncer';

export function hasPgBouncer(): boolean {
  return existsSync(PROGRAM);
}

export interface PgBouncerOptions {
  readonly poolMode: 'session' | 'transaction';
  /** Whether both sides use TLS. */
  readonly hasTls?: boolean;
  readonly roles: readonly string[];
}

export interface PgBouncer {
  readonly port: number;
  stop(): Promise<void>;
}

/** Starts PgBouncer in front of a server. It trusts the roles. */
export async function startPgBouncer(server: PostgresServer, options: PgBouncerOptions): Promise<PgBouncer> {
  const { poolMode, hasTls = false, roles } = options;
  const { path: folder, remove } = databaseFolder();
  const [user, port] = [await unprivileged(), await freePort()];
  const tls =
    hasTls && server.authority !== undefined
      ? await server.authority.issue('bouncer', 'localhost', ['IP:127.0.0.1'])
      : undefined;
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'trust',
    auth_file: join(folder, 'users.txt'),
    pool_mode: poolMode,
    max_client_conn: 100,
    default_pool_size: 50,
    ...(tls !== undefined && {
      client_tls_sslmode: 'require',
      client_tls_cert_file: tls.cert,
      client_tls_key_file: tls.key,
      server_tls_sslmode: 'verify-full',
      server_tls_ca_file: server.authority?.root ?? '',
    }),
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`);
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(file, `[databases]\n* = host=127.0.0.1 port=${server.port}\n[pgbouncer]\n${lines.join('')}`);
  writeFileSync(settings.auth_file, roles.map((role) => `"${role}" ""\n`).join(''));
  const owned = [folder, file, settings.auth_file, ...(tls === undefined ? [] : [tls.key])];
  if (user.uid !== undefined && user.gid !== undefined) for (const path of owned) chownSync(path, user.uid, user.gid);
  const bouncer = spawnChild(PROGRAM, [file], { ...user, cwd: folder });
  const ended = new Promise<void>((resolve) => bouncer.once('exit', () => resolve()));
  await until('PgBouncer answers', async () => {
    if (bouncer.exitCode !== null) throw new Error(`PgBouncer ended with ${bouncer.exitCode}.`);
    return answers(port);
  });
  return {
    port,
    async stop() {
      bouncer.kill('SIGTERM');
      await ended;
      remove();
    },
  };
}

/** Any answer will do, also a refusal. */
async function answers(port: number): Promise<boolean> {
  const client = new Client({ host: '127.0.0.1', port, user: 'nobody', database: 'none' });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.end();
    return true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED');
  }
}

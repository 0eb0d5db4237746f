// The proxies of Debian, each with a configuration of docs/proxies.md, on loopback. Around the configuration is what Debian has in its own
// main file, with places in the folder of the test.
import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { spawnChild } from '../run/runFolder.ts';
import { until } from '../run/until.ts';
import type { Places, ProxyName } from './configurations.ts';
import { apacheFrame, nginxFolders } from './frames.ts';

interface Program {
  /** Where Debian's package has it. */
  readonly path: string;
  readonly debianPackage: string;
  /** Puts the configuration into a whole one. */
  readonly whole: (text: string, places: Places) => string;
  readonly args: (file: string) => readonly string[];
  readonly stop: NodeJS.Signals;
}

const APACHE_MODULES = [
  'mpm_event',
  'authz_core',
  'alias',
  'filter',
  'deflate',
  'headers',
  'ssl',
  'socache_shmcb',
  'http2',
  'proxy',
  'proxy_http',
];

const PROGRAMS: Readonly<Record<ProxyName, Program>> = {
  nginx: {
    path: '/usr/sbin/nginx',
    debianPackage: 'nginx-light',
    whole: (text, { folder }) => `
user ${process.getuid?.() === 0 ? 'root' : 'nobody'};
daemon off;
pid ${folder}/nginx.pid;
error_log stderr;
events {}
http {
  access_log off;
  gzip on;
  ${nginxFolders(folder)}
${text}}
`,
    args: (file) => ['-e', 'stderr', '-c', file],
    stop: 'SIGTERM',
  },
  apache: {
    path: '/usr/sbin/apache2',
    debianPackage: 'apache2',
    whole: (text, { folder, http, https }) => `
${apacheFrame(folder, APACHE_MODULES)}
Listen ${http}
Listen ${https}
AddOutputFilterByType DEFLATE text/html text/plain text/xml text/css text/javascript application/javascript application/xml
${text}`,
    args: (file) => ['-D', 'FOREGROUND', '-f', file],
    stop: 'SIGTERM',
  },
  haproxy: {
    path: '/usr/sbin/haproxy',
    debianPackage: 'haproxy',
    whole: (text) => text,
    args: (file) => ['-db', '-f', file],
    stop: 'SIGTERM',
  },
  caddyfile: {
    path: '/usr/bin/caddy',
    debianPackage: 'caddy',
    whole: (text, { http, https }) => `{
	admin off
	http_port ${http}
	https_port ${https}
	skip_install_trust
}
${text}`,
    args: (file) => ['run', '--adapter', 'caddyfile', '--config', file],
    stop: 'SIGTERM',
  },
};

/** The Debian packages of the proxies that this machine lacks. */
export function missingProxies(): readonly string[] {
  return Object.values(PROGRAMS)
    .filter(({ path }) => !existsSync(path))
    .map(({ debianPackage }) => debianPackage);
}

export function hasProxy(name: ProxyName): boolean {
  return existsSync(PROGRAMS[name].path);
}

/** Returns ports that are free now. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  await Promise.all(servers.map((server) => new Promise<void>((resolve) => server.listen(0, () => resolve()))));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

export interface RunningProxy {
  log(): string;
  stop(): Promise<void>;
}

async function answers(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/`, { redirect: 'manual' }).then(
    () => true,
    () => false,
  );
}

async function untilAnswering(child: ChildProcess, port: number, log: () => string): Promise<void> {
  await until('the proxy answers', () => {
    if (child.exitCode !== null) throw new Error(`The proxy ended with ${child.exitCode}:\n${log()}`);
    return answers(port);
  });
}

/** Starts a proxy with the text of its configuration, and waits until it answers. */
export async function startProxy(name: ProxyName, text: string, places: Places): Promise<RunningProxy> {
  const { path, whole, args, stop } = PROGRAMS[name];
  mkdirSync(places.folder, { recursive: true });
  const file = join(places.folder, `${name}.conf`);
  writeFileSync(file, whole(text, places));
  const env = { PATH: process.env['PATH'], HOME: places.folder, XDG_DATA_HOME: places.folder };
  // Apache and nginx have workers, which end with their group.
  const child = spawnChild(path, args(file), { env, isGroup: true });
  let log = '';
  child.stdout?.on('data', (chunk: Buffer) => (log += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (log += chunk.toString()));
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  await untilAnswering(child, places.http, () => log);
  return {
    log: () => log,
    async stop() {
      child.kill(stop);
      await exited;
    },
  };
}

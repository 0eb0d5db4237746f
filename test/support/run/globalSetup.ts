import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { hasChromium } from '../browser/chromium.ts';
import { hasFirefox } from '../browser/firefox.ts';
import { superviseParts } from '../cluster/clusterParts.ts';
import { clusterProgram, startCluster } from '../cluster/clusterProgram.ts';
import { hasPromtool } from '../monitoring/promtool.ts';
import { missingProxies } from '../proxies/proxy.ts';
import { missingReceivers } from '../receivers/serverPrograms.ts';
import { hasGo, hasJava } from '../webhooks/verifierReceiver.ts';
import { postgresPrograms, startPostgres } from '../store/postgres.ts';
import { createPostgresTemplate } from '../store/postgresTemplate.ts';
import { makeRunFolders, runningChildren } from './runFolder.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Empty if this machine has no PostgreSQL. */
    readonly postgresUrl: string;
    /** Whether all SOAP clients that are not npm packages are installed. */
    readonly hasSoapClients: boolean;
    /** The folder of the Kubernetes cluster; empty if this run has none. */
    readonly clusterFolder: string;
  }
}

const required = (process.env['STEWARD_TEST_REQUIRE'] ?? '').split(',').filter((name) => name !== '');

function findSoapClients(): boolean {
  return (
    spawnSync('/usr/bin/python3', ['-c', 'import zeep']).status === 0 &&
    /^soap$/m.test(spawnSync('/usr/bin/php', ['-m'], { encoding: 'utf8' }).stdout ?? '') &&
    existsSync('/usr/bin/xmllint')
  );
}

/** Starts the process that ends all children of this run. It leads a process group: Ctrl-C must not end it first. */
function startReaper(folder: string, databases: string): () => Promise<void> {
  const reaper = spawn(process.execPath, [join(import.meta.dirname, 'reaper.mjs'), folder, databases], {
    stdio: ['pipe', 'inherit', 'inherit'],
    detached: true,
  });
  reaper.unref();
  const ended = new Promise<void>((resolve) => reaper.once('exit', () => resolve()));
  return () => {
    reaper.ref();
    reaper.stdin.end();
    return ended;
  };
}

/** scripts/tests.mjs holds a channel to this process. If it is killed, the run ends too. */
function endWithLauncher(): void {
  if ('connected' in process && !process.connected) process.exit(1);
  process.once('disconnect', () => process.exit(1));
  process.channel?.unref();
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  endWithLauncher();
  const isWithout = process.env['STEWARD_TEST_WITHOUT_SERVERS'] === '1';
  const bin = isWithout ? undefined : postgresPrograms();
  const hasSoapClients = !isWithout && findSoapClients();
  const isHere: Readonly<Record<string, boolean>> = {
    postgres: bin !== undefined,
    soap: hasSoapClients,
    cluster: clusterProgram() !== undefined,
    browser: hasChromium() && hasFirefox(),
    promtool: hasPromtool(),
    proxies: missingProxies().length === 0,
    receivers: missingReceivers().length === 0,
    go: hasGo(),
    java: hasJava(),
  };
  const missing = isWithout ? [] : required.filter((name) => isHere[name] !== true);
  if (missing.length > 0) throw new Error(`STEWARD_TEST_REQUIRE names what this machine lacks: ${missing.join(', ')}`);
  const { folder, databases } = makeRunFolders();
  const reap = startReaper(folder, databases);
  const server = bin === undefined ? undefined : await startPostgres(bin);
  if (server !== undefined) await createPostgresTemplate(server.url);
  project.provide('postgresUrl', server?.url ?? '');
  project.provide('hasSoapClients', hasSoapClients);
  const cluster = isWithout ? undefined : await startCluster(folder);
  project.provide('clusterFolder', cluster?.folder ?? '');
  const endSupervision = cluster === undefined ? undefined : superviseParts(cluster);
  return async () => {
    await server?.stop();
    await endSupervision?.();
    await cluster?.stop();
    const left = runningChildren(folder);
    await reap();
    if (left.length > 0) throw new Error(`The tests left these processes running: ${left.join(', ')}`);
  };
}

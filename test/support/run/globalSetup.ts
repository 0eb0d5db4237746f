import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import type { TestProject } from 'vitest/node';
import { postgresPrograms, startPostgres } from '../store/postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** '' where there is none. */
    readonly postgresUrl: string;
    /** Whether the ports 6080 and 6081 are free for the tour. */
    readonly canTour: boolean;
    /** Whether the SOAP clients that are no npm packages are here, all of them. */
    readonly hasSoapClients: boolean;
  }
}

const required = (process.env['STEWARD_TEST_REQUIRE'] ?? '').split(',').filter((name) => name !== '');

function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(false);
    });
    socket.once('error', () => resolve(true));
  });
}

function findSoapClients(): boolean {
  return (
    spawnSync('/usr/bin/python3', ['-c', 'import zeep']).status === 0 &&
    /^soap$/m.test(spawnSync('/usr/bin/php', ['-m'], { encoding: 'utf8' }).stdout ?? '') &&
    existsSync('/usr/bin/xmllint')
  );
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const bin = postgresPrograms();
  const canTour = existsSync('docs/tour.md') && (await isPortFree(6080)) && (await isPortFree(6081));
  const hasSoapClients = findSoapClients();
  const isHere: Readonly<Record<string, boolean>> = {
    postgres: bin !== undefined,
    tour: canTour,
    soap: hasSoapClients,
  };
  const wanted = required.filter((name) => isHere[name] !== true);
  if (wanted.length > 0) throw new Error(`STEWARD_TEST_REQUIRE asks for what is not here: ${wanted.join(', ')}`);
  const server = bin === undefined ? undefined : await startPostgres(bin);
  project.provide('postgresUrl', server?.url ?? '');
  project.provide('canTour', canTour);
  project.provide('hasSoapClients', hasSoapClients);
  return async () => server?.stop();
}

import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import type { TestProject } from 'vitest/node';
import { postgresPrograms, startPostgres } from './postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** '' where there is none. */
    readonly postgresUrl: string;
    /** Whether port 6080 is free for the tour. */
    readonly canTour: boolean;
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

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const bin = postgresPrograms();
  const canTour = existsSync('docs/tour.md') && (await isPortFree(6080));
  const isHere: Readonly<Record<string, boolean>> = { postgres: bin !== undefined, tour: canTour };
  const wanted = required.filter((name) => isHere[name] !== true);
  if (wanted.length > 0) throw new Error(`STEWARD_TEST_REQUIRE asks for what is not here: ${wanted.join(', ')}`);
  const server = bin === undefined ? undefined : await startPostgres(bin);
  project.provide('postgresUrl', server?.url ?? '');
  project.provide('canTour', canTour);
  return async () => server?.stop();
}

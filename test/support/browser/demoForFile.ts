import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import type { TemporaryFolder } from '../run/runFolder.ts';
import { temporaryFolder } from '../run/runFolder.ts';
import type { Client, Fields } from '../server/client.ts';
import { createClient, networkTransport } from '../server/client.ts';
import type { StewardProcess } from '../server/stewardProcess.ts';
import { startSteward } from '../server/stewardProcess.ts';

const ROOT = '/admin';

export interface DemoForFile {
  /** The generated password of the administrator. With a given one, the demo has no sign-in by one click. */
  password(): string;
  /** The address of a page of the console. */
  page(path?: string): string;
  /** Sends a request as the administrator and answers its body. The path is below the root of the interface. */
  must(path: string, fields?: Fields): ReturnType<Client['must']>;
  client(): Client;
  kill(): Promise<void>;
  /** Starts the server again, on the same data and the same port. */
  startAgain(): Promise<void>;
}

/** Starts one demo for the tests of a file. `settings` is its speed, as in `demo/settings`. */
export function demoForFile(settings: Fields = {}): DemoForFile {
  let folder: TemporaryFolder;
  let steward: StewardProcess;
  let client: Client;
  const password = (): string => readFileSync(join(folder.path, 'data', 'first-password'), 'utf8').trim();

  const start = (port: string): Promise<StewardProcess> =>
    startSteward({
      data: join(folder.path, 'data'),
      args: ['--demo', '--port', port],
      env: { STEWARD_DEMO_RECEIVER_PORT: '0', STEWARD_ADMIN_PASSWORD: '' },
    });
  beforeAll(async () => {
    folder = temporaryFolder();
    steward = await start('0');
    client = createClient(networkTransport(steward.url), await steward.token({ password: password() }));
    if (Object.keys(settings).length > 0) await client.must(`${ROOT}/demo/settings`, settings);
  });
  afterAll(async () => {
    await steward.end('SIGTERM');
    folder.remove();
  });

  return {
    password,
    page: (path = '/') => `${steward.url}/console${path}`,
    must: (path, fields) => client.must(ROOT + path, fields),
    client: () => client,
    async kill() {
      await steward.end('SIGKILL');
    },
    async startAgain() {
      steward = await start(new URL(steward.url).port);
    },
  };
}

// A Steward with a proxy in front of it, and clients that go through the proxy. Steward is configured as docs/proxies.md says.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import type { TemporaryFolder } from '../run/runFolder.ts';
import { temporaryFolder } from '../run/runFolder.ts';
import type { Client } from '../server/client.ts';
import { createClient } from '../server/client.ts';
import type { StewardProcess } from '../server/stewardProcess.ts';
import { startSteward } from '../server/stewardProcess.ts';
import { makeAuthority } from './authority.ts';
import type { Places, ProxyName, Variant } from './configurations.ts';
import { PREFIX, documented, placed } from './configurations.ts';
import type { RunningProxy } from './proxy.ts';
import { freePorts, startProxy } from './proxy.ts';

/** Clients connect from here. The proxy connects to Steward from 127.0.0.1, which alone is trusted. */
export const CLIENT_ADDRESS = '127.0.0.2';

export interface Front {
  readonly steward: StewardProcess;
  /** The public address, with the prefix if there is one. */
  readonly url: string;
  readonly places: Places;
  /** The file with the certificate of the authority. */
  readonly caFile: string;
  readonly folder: string;
  /** Carries requests of `client` and of streams, from `CLIENT_ADDRESS`. */
  readonly agent: Agent;
  /** Sends requests through the proxy. */
  readonly client: Client;
  close(): Promise<void>;
}

/** Starts the server, and then the proxy with the documented configuration, or another one that is made from it. */
export async function startFront(
  name: ProxyName,
  variant: Variant,
  change: (text: string) => string = (text) => text,
): Promise<Front> {
  const folder: TemporaryFolder = temporaryFolder();
  const caFile = makeAuthority(folder.path);
  const [http = 0, https = 0] = await freePorts(2);
  const url = `https://localhost:${https}${variant === 'path' ? PREFIX : ''}`;
  const steward = await startSteward({
    data: join(folder.path, 'data'),
    args: ['--demo', '--demo-receiver-port', '0'],
    env: { STEWARD_PUBLIC_URL: url, STEWARD_TRUSTED_PROXIES: '127.0.0.1' },
  });
  const places = { http, https, steward: Number(new URL(steward.url).port), folder: folder.path };
  const proxy: RunningProxy = await startProxy(name, placed(change(documented(name, variant)), places), places);
  const agent = new Agent({
    connect: { ca: readFileSync(caFile, 'utf8'), family: 4 },
    localAddress: CLIENT_ADDRESS,
  });
  const client = createClient(async ({ method, path, headers, payload }) => {
    const answer = await request(url + path, {
      dispatcher: agent,
      method,
      headers,
      ...(payload !== undefined && { body: payload }),
    });
    const pairs = Object.entries(answer.headers).flatMap(([key, value]) =>
      [value ?? []].flat().map((one): [string, string] => [key, one]),
    );
    return { status: answer.statusCode, headers: new Headers(pairs), text: await answer.body.text() };
  });
  return {
    steward,
    url,
    places,
    caFile,
    folder: folder.path,
    agent,
    client,
    async close() {
      await agent.destroy();
      await proxy.stop();
      await steward.end('SIGTERM');
      folder.remove();
    },
  };
}

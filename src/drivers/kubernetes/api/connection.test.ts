import { createServer } from 'node:http';
import { writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer as createSilentServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../../test/support/run/runFolder.ts';
import { openConnection } from './connection.ts';
import { readKubeConfig } from './kubeConfig.ts';

/** An API server that accepts one token, and a kubeconfig for it. */
async function constructedServer(accepted: string, address?: string) {
  const tokens: (string | undefined)[] = [];
  const server = createServer(({ headers: { authorization } }, response) => {
    tokens.push(authorization);
    response.statusCode = authorization === `Bearer ${accepted}` ? 200 : 401;
    response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const folder = temporaryFolder();
  const file = join(folder.path, 'kubeconfig');
  const { port } = server.address() as AddressInfo;
  const write = (token: string): void =>
    writeFileSync(
      file,
      JSON.stringify({
        clusters: [
          {
            name: 'test',
            cluster: { server: address ?? `http://127.0.0.1:${port}`, 'insecure-skip-tls-verify': true },
          },
        ],
        users: [{ name: 'steward', user: { token } }],
        contexts: [{ name: 'test', context: { cluster: 'test', user: 'steward', namespace: 'shop' } }],
        'current-context': 'test',
      }),
    );
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
    folder.remove();
  });
  return { tokens, write, url: `http://127.0.0.1:${port}`, read: () => readKubeConfig(file) };
}

test('[DEC58] a kubeconfig is read again when the server rejects its token', async () => {
  const { tokens, write, read } = await constructedServer('new');
  write('old');
  const connection = openConnection(read);
  onTestFinished(() => connection.close());
  expect(connection.namespace).toBe('shop');
  write('new');
  for (let n = 0; n < 2; n += 1) expect((await connection.send({ method: 'GET', path: '/' })).statusCode).toBe(200);
  expect(tokens).toEqual(['Bearer old', 'Bearer new', 'Bearer new']);
});

test('[UPG21] [DEC58] a token that the server rejects is a refusal that says what to do', async () => {
  const { write, read, url } = await constructedServer('new');
  write('old');
  const connection = openConnection(read);
  onTestFinished(() => connection.close());
  await expect(connection.send({ method: 'GET', path: '/' })).rejects.toMatchObject({
    failure: {
      reason: `The API server ${url} rejects the credentials of Steward (401).`,
      advice: expect.stringContaining('Renew the token'),
    },
  });
});

test('[UPG21] a request whose signal has aborted ends at once, also while there is no connection yet', async () => {
  const silent = createSilentServer();
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const isConnected = new Promise((resolve) => silent.once('connection', resolve));
  const { port } = silent.address() as AddressInfo;
  const { write, read } = await constructedServer('new', `https://127.0.0.1:${port}`);
  write('new');
  const connection = openConnection(read);
  const stop = new AbortController();
  const before = connection.send({ method: 'GET', path: '/', signal: stop.signal });
  before.catch(() => undefined);
  await isConnected;
  stop.abort();
  await expect(before).rejects.toThrow('the call was stopped');
  const after = connection.send({ method: 'GET', path: '/', signal: stop.signal });
  await expect(after).rejects.toMatchObject({ name: 'AbortError' });
  await connection.close();
  silent.close();
});

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { manualClock } from '../../../../test/support/clock/manualClock.ts';
import { patientConnection } from './patientConnection.ts';
import { openConnection } from './connection.ts';
import { readKubeConfig } from './kubeConfig.ts';
import { temporaryFolder } from '../../../../test/support/run/runFolder.ts';
import { join } from 'node:path';
import { writeFileSync } from 'node:fs';

/** An API server that refuses its first requests, because there are too many, and a connection to it. */
async function busyServer(refusals: number, retryAfter: string) {
  let requests = 0;
  const server = createServer((_, response) => {
    requests += 1;
    if (requests <= refusals) response.writeHead(429, { 'retry-after': retryAfter });
    response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const folder = temporaryFolder();
  const { port } = server.address() as AddressInfo;
  const cluster = { server: `http://127.0.0.1:${port}`, 'insecure-skip-tls-verify': true };
  const config = {
    clusters: [{ name: 'c', cluster }],
    users: [{ name: 'u', user: { token: 't' } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  };
  const file = join(folder.path, 'kubeconfig');
  writeFileSync(file, JSON.stringify(config));
  const connection = openConnection(() => readKubeConfig(file));
  onTestFinished(async () => {
    await connection.close();
    server.closeAllConnections();
    server.close();
    folder.remove();
  });
  const clock = manualClock();
  const patient = patientConnection(connection, clock);
  return {
    clock,
    requests: () => requests,
    ask: (signal?: AbortSignal) => patient.send({ method: 'GET', path: '/', signal }),
  };
}

test('[K10] a request that the API server refuses with 429 is sent again after the time of Retry-After', async () => {
  const { clock, requests, ask } = await busyServer(2, '3');
  const answer = ask();
  for (const sent of [1, 2]) {
    await expect.poll(() => [requests(), clock.sleepers()]).toEqual([sent, 1]);
    clock.advance(2999);
    expect(requests()).toBe(sent);
    clock.advance(1);
  }
  expect((await answer).statusCode).toBe(200);
});

test('[K10] a refusal that asks for more time than the limit of a call is the answer', async () => {
  const { requests, ask } = await busyServer(9, '60');
  expect((await ask()).statusCode).toBe(429);
  expect(requests()).toBe(1);
});

test('[K10] [UPG21] the wait ends when the signal of the call aborts', async () => {
  const { clock, ask } = await busyServer(9, '2');
  const stop = new AbortController();
  const answer = ask(stop.signal).catch((error: unknown) => error);
  await expect.poll(() => clock.sleepers()).toBe(1);
  stop.abort();
  expect(await answer).toMatchObject({ name: 'AbortError' });
});

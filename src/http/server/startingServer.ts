import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { errorBody } from '../../wire/answers/errorBody.ts';
import type { TlsPair } from './commonHeaders.ts';
import { handleOneAtATime } from './oneAtATime.ts';

function answer({ url = '' }: IncomingMessage, response: ServerResponse): void {
  const [path] = url.split('?', 1);
  const body =
    path === '/healthz'
      ? { status: 'alive' }
      : path === '/readyz'
        ? { status: 'not ready', reasons: ['the server is starting'] }
        : errorBody('unavailable', 'Steward is starting. Try again in a moment.', []);
  response.writeHead(path === '/healthz' ? 200 : 503, {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    connection: 'close',
    ...(path !== '/healthz' && { 'retry-after': '1' }),
  });
  response.end(JSON.stringify(body));
}

/** Creates the server that has the port until the start is complete. It answers the probes, and 503 to all else. */
export function createStartingServer(tls: TlsPair | undefined): Server {
  const server = tls === undefined ? createServer(answer) : createTlsServer({ ...tls }, answer);
  handleOneAtATime(server);
  return server;
}

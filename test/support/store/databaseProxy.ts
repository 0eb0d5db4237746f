import type { Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { acceptTls, requestTls, tlsFilesOf } from './postgresTls.ts';

/** `cut` loses what the client sent, with the connection; `cutAnswer` passes it on, and loses the answer with the connection. */
export type Fate = 'pass' | 'cut' | 'cutAnswer';

export interface DatabaseProxy {
  /** The address of the database through this proxy. */
  readonly url: string;
  close(): Promise<void>;
}

/** The two connections of a client through the proxy. Over TLS the proxy takes the place of the server, so that it can read. */
async function openEnds(client: Socket, database: Socket, databaseUrl: string): Promise<readonly [Socket, Socket]> {
  const files = tlsFilesOf(databaseUrl);
  if (files === undefined) return [client, database];
  return Promise.all([acceptTls(client, files), requestTls(database, new URL(databaseUrl).hostname, files)]);
}

/** Starts a proxy for PostgreSQL. `decide` is called with everything that a client sends. */
export async function startDatabaseProxy(
  databaseUrl: string,
  decide: (sent: Buffer) => Fate,
  onAnswerLost: () => void = () => undefined,
): Promise<DatabaseProxy> {
  const sockets = new Set<Socket>();
  const target = new URL(databaseUrl);

  function pass(client: Socket, database: Socket, end: () => void): void {
    let isCut = false;
    client.on('data', (chunk: Buffer) => {
      const fate = decide(chunk);
      isCut ||= fate === 'cutAnswer';
      if (fate === 'cut') end();
      else database.write(chunk);
    });
    database.on('data', (chunk) => {
      if (isCut) {
        onAnswerLost();
        end();
      } else client.write(chunk);
    });
  }

  async function join(client: Socket, database: Socket, end: () => void, endWith: (socket: Socket) => void) {
    const [near, far] = await openEnds(client, database, databaseUrl);
    if (near !== client) for (const socket of [near, far]) endWith(socket);
    pass(near, far, end);
  }

  const server = createServer((client) => {
    const database = connect(Number(target.port), target.hostname);
    const end = (): void => {
      client.destroy();
      database.destroy();
    };
    const endWith = (socket: Socket): void => {
      socket.on('error', end);
      socket.on('close', end);
    };
    for (const socket of [client, database]) {
      sockets.add(socket.setNoDelay());
      endWith(socket);
      socket.on('close', () => sockets.delete(socket));
    }
    join(client, database, end, endWith).catch(end);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const url = new URL(databaseUrl);
  url.port = String(typeof address === 'object' && address !== null ? address.port : 0);
  return {
    url: url.href,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

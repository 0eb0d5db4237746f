import type { Socket } from 'node:net';
import { connect, createServer } from 'node:net';

/** `cut` loses what the client sent, with the connection; `cutAnswer` passes it on, and loses the answer with the connection. */
export type Fate = 'pass' | 'cut' | 'cutAnswer';

export interface DatabaseProxy {
  /** The address of the database through this proxy. */
  readonly url: string;
  close(): Promise<void>;
}

/** Starts a proxy for PostgreSQL. `decide` is called with everything that a client sends. */
export async function startDatabaseProxy(
  databaseUrl: string,
  decide: (sent: Buffer) => Fate,
  onAnswerLost: () => void = () => undefined,
): Promise<DatabaseProxy> {
  const sockets = new Set<Socket>();
  const target = new URL(databaseUrl);
  const server = createServer((client) => {
    const database = connect(Number(target.port), target.hostname);
    let isCut = false;
    const end = (): void => {
      client.destroy();
      database.destroy();
    };
    for (const socket of [client, database]) {
      sockets.add(socket.setNoDelay());
      socket.on('error', end);
      socket.on('close', () => {
        sockets.delete(socket);
        end();
      });
    }
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

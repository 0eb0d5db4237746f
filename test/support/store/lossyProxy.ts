import type { Socket } from 'node:net';
import { connect, createServer } from 'node:net';

export interface LossyProxy {
  /** The address of the database through this proxy. */
  readonly url: string;
  /** The number of lost answers. */
  readonly lost: () => number;
  /** Sets the share of answers to commits that are lost from now on, each with its connection. */
  lose(share: number): void;
  close(): Promise<void>;
}

const COMMIT = Buffer.from('commit\0');

/** Starts a proxy for PostgreSQL that passes commits on but loses some of their answers. */
export async function startLossyProxy(databaseUrl: string): Promise<LossyProxy> {
  const sockets = new Set<Socket>();
  const target = new URL(databaseUrl);
  let [share, lost] = [0, 0];
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
    client.on('data', (chunk) => {
      isCut ||= chunk.includes(COMMIT) && Math.random() < share;
      database.write(chunk);
    });
    database.on('data', (chunk) => {
      if (isCut) {
        lost += 1;
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
    lost: () => lost,
    lose: (part) => {
      share = part;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

// A proxy in front of a server that delays, repeats or drops what it passes on. It knows nothing of the protocol, so it works with
// TLS too.
import type { Socket } from 'node:net';
import { connect, createServer } from 'node:net';

interface Connection {
  readonly client: Socket;
  readonly server: Socket;
  /** Bytes for the server that wait. */
  held: Buffer[];
  isHeld: boolean;
}

export interface Proxy {
  readonly port: number;
  /** Keeps back everything that clients send from now on, also on connections that are open. */
  hold(): void;
  /** Passes on what was kept back. The clients that sent it may have gone. */
  release(): Promise<void>;
  /** What was kept back, to send it in another session. */
  held(): Buffer;
  /** Sends bytes to the server in every session. */
  inject(bytes: Buffer): void;
  /** Drops what the server answers from now on. */
  deafen(): void;
  close(): Promise<void>;
}

/** Starts a proxy to a port of this machine. */
export async function startProxy(target: number): Promise<Proxy> {
  const connections = new Set<Connection>();
  let isHolding = false;
  let isDeaf = false;

  const listener = createServer((client) => {
    const server = connect(target, '127.0.0.1');
    const connection: Connection = { client, server, held: [], isHeld: isHolding };
    connections.add(connection);
    client.on('data', (bytes) => {
      if (connection.isHeld) connection.held.push(bytes);
      else server.write(bytes);
    });
    server.on('data', (bytes) => (isDeaf ? undefined : client.write(bytes)));
    // A server does not notice at once that a client has gone: what that sent arrives first.
    client.on('close', () => (connection.isHeld ? undefined : server.end()));
    server.on('close', () => client.destroy());
    for (const socket of [client, server]) socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const address = listener.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;

  return {
    port,
    hold() {
      isHolding = true;
      for (const connection of connections) connection.isHeld = true;
    },
    async release() {
      isHolding = false;
      for (const connection of connections) {
        const { server, held, client } = connection;
        connection.isHeld = false;
        if (held.length > 0 && !server.destroyed)
          await new Promise<void>((resolve) => server.write(Buffer.concat(held), () => resolve()));
        connection.held = [];
        if (client.destroyed) server.end();
      }
    },
    held: () => Buffer.concat([...connections].flatMap(({ held }) => held)),
    inject(bytes) {
      for (const { server } of connections) server.write(bytes);
    },
    deafen: () => void (isDeaf = true),
    async close() {
      for (const { client, server } of connections) for (const socket of [client, server]) socket.destroy();
      await new Promise<void>((resolve) => listener.close(() => resolve()));
    },
  };
}

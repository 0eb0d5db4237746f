// A network between Steward and PostgreSQL: slow, or with a firewall that forgets idle connections. It does not look into them, so
// that it works over TLS.
import type { Socket } from 'node:net';
import { connect, createServer } from 'node:net';

export interface Network {
  /** The time that everything takes, each way. */
  readonly delayMs?: number;
  /** After this time without traffic a connection is closed, or forgotten. */
  readonly idleMs?: number;
  /** `forgotten`: what is sent afterwards is lost, and a while later the sender's connection is reset. */
  readonly whenIdle?: 'closed' | 'forgotten';
}

export interface NetworkProxy {
  readonly port: number;
  /** The number of connections that were closed or forgotten. */
  readonly ended: () => number;
  close(): Promise<void>;
}

const RESET_AFTER_MS = 1000;

/** Passes everything on after a time, in order. */
function passSlowly(from: Socket, to: Socket, delayMs: number): void {
  if (delayMs === 0) {
    from.on('data', (chunk) => void to.write(chunk));
    from.on('end', () => void to.end());
    return;
  }
  from.on('data', (chunk) => void setTimeout(() => to.writable && to.write(chunk), delayMs));
  from.on('end', () => void setTimeout(() => to.end(), delayMs));
}

/** Starts a proxy in front of a server on this machine. */
export async function startNetworkProxy(
  targetPort: number,
  { delayMs = 0, idleMs, whenIdle = 'closed' }: Network,
): Promise<NetworkProxy> {
  const sockets = new Set<Socket>();
  let ended = 0;
  const server = createServer((client) => {
    const database = connect(targetPort, '127.0.0.1');
    let isForgotten = false;
    for (const socket of [client, database]) {
      sockets.add(socket.setNoDelay());
      socket.on('error', () => undefined);
      socket.on('close', () => sockets.delete(socket));
    }
    client.on('close', () => database.destroy());
    database.on('close', () => void (isForgotten || client.destroy()));
    passSlowly(client, database, delayMs);
    passSlowly(database, client, delayMs);
    if (idleMs === undefined) return;
    // Both directions pass through this end.
    client.setTimeout(idleMs, () => {
      if (isForgotten) return;
      ended += 1;
      isForgotten = whenIdle === 'forgotten';
      client.setTimeout(0);
      client.removeAllListeners('data');
      database.destroy();
      if (isForgotten) client.once('data', () => client.setTimeout(RESET_AFTER_MS, () => client.resetAndDestroy()));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    ended: () => ended,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

import { isIP } from 'node:net';
import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { forbidden } from '../addresses/allowedAddresses.ts';
import type { Destination } from '../addresses/allowedAddresses.ts';
import { createDial } from './dial.ts';
import type { AddressGuard } from '../addresses/addressGuard.ts';

export interface ConnectorOptions {
  readonly guard: AddressGuard;
  readonly addressesOf: (place: Destination) => Promise<readonly string[]>;
  /** PEM text of certificates that are trusted beside the well-known ones. */
  readonly ca?: string | undefined;
  /** How long anyone could still be waiting for a connection that is begun now. */
  readonly patienceMs: () => number;
}

export interface Connector {
  readonly connect: buildConnector.connector;
  /** Ends every connection, made or half made. */
  close(): void;
}

function failure(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

function placeOf({ protocol, hostname, port }: buildConnector.Options): Destination {
  const written = isIP(hostname) === 6 ? `[${hostname}]` : hostname;
  return {
    host: hostname,
    port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
    origin: `${protocol}//${written}${port === '' ? '' : `:${port}`}`,
  };
}

/** undici's own connector can be given neither the port to judge by nor the addresses to dial for one connection; hence ours. */
export function createConnector({ guard, addressesOf, ca, patienceMs }: ConnectorOptions): Connector {
  const dial = createDial(ca);
  const sockets = new Set<Socket>();
  let isClosed = false;

  function problemWithPeer(socket: Socket, place: Destination): Error | undefined {
    const address = socket.remoteAddress;
    if (address === undefined) return failure('ECONNRESET', 'closed');
    return guard.isAllowed(address, place.port) ? undefined : forbidden(place.origin, 'leads to', address);
  }

  function establish(socket: Socket, readyEvent: string, place: Destination, patience: number): Promise<Socket> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => socket.destroy(failure('ETIMEDOUT', 'no connection')), patience);
      sockets.add(socket);
      socket.on('error', reject);
      socket.once('close', () => {
        sockets.delete(socket);
        clearTimeout(timer);
        reject(failure('ECONNRESET', 'closed'));
      });
      socket.once(readyEvent, () => {
        clearTimeout(timer);
        const problem = problemWithPeer(socket, place);
        if (problem === undefined) resolve(socket);
        else socket.destroy(problem);
      });
    });
  }

  async function open(options: buildConnector.Options): Promise<Socket> {
    const startedAt = performance.now();
    const place = placeOf(options);
    const addresses = await addressesOf(place);
    if (isClosed) throw new Error('stopped');
    const isSecure = options.protocol === 'https:';
    const patience = Math.max(1, patienceMs() - (performance.now() - startedAt));
    return establish(dial(place, isSecure, addresses), isSecure ? 'secureConnect' : 'connect', place, patience);
  }

  return {
    connect: (options, tell) => {
      open(options).then(
        (socket) => tell(null, socket),
        (error: Error) => tell(error, null),
      );
    },
    close() {
      isClosed = true;
      for (const socket of sockets) socket.destroy(new Error('stopped'));
    },
  };
}

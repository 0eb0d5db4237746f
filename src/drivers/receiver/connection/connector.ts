import { isIP } from 'node:net';
import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { forbidden } from '../addresses/allowedAddresses.ts';
import type { Destination } from '../addresses/allowedAddresses.ts';
import { createDial } from './dial.ts';
import type { AnswerWatch } from './answerHeads.ts';
import { watchAnswers } from './answerHeads.ts';
import { noteUsedBefore } from './usedBefore.ts';
import type { AddressGuard } from '../addresses/addressGuard.ts';

export interface ConnectorOptions {
  readonly guard: AddressGuard;
  readonly addressesOf: (destination: Destination) => Promise<readonly string[]>;
  /** PEM text of additional trusted certificates. */
  readonly ca?: string | undefined;
  /** The longest time for which any request may still wait for a connection that starts now. */
  readonly patienceMs: () => number;
}

export interface Connector {
  readonly connect: buildConnector.connector;
  /** Ends every connection, also those that are not yet established. */
  close(): void;
}

function failure(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

function destinationOf({ protocol, hostname, port }: buildConnector.Options): Destination {
  const written = isIP(hostname) === 6 ? `[${hostname}]` : hostname;
  return {
    host: hostname,
    port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
    origin: `${protocol}//${written}${port === '' ? '' : `:${port}`}`,
  };
}

/** Replaces undici's connector, which can neither check the port nor dial given addresses for a single connection. */
export function createConnector({ guard, addressesOf, ca, patienceMs }: ConnectorOptions): Connector {
  const dial = createDial(ca);
  const sockets = new Set<Socket>();
  let isClosed = false;

  function problemWithPeer(socket: Socket, destination: Destination): Error | undefined {
    const address = socket.remoteAddress;
    if (address === undefined) return failure('ECONNRESET', 'closed');
    if (guard.isAllowed(address, destination.port)) return undefined;
    return forbidden(guard.refusalOf(destination.origin, 'leads to', address));
  }

  function establish(socket: Socket, readyEvent: string, destination: Destination, patience: number): Promise<Socket> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => socket.destroy(failure('ETIMEDOUT', 'no connection')), patience);
      sockets.add(socket);
      let answers: AnswerWatch | undefined;
      socket.on('error', (error) => {
        if (answers?.isAwaitedAgain() === true) noteUsedBefore(error);
        reject(error);
      });
      socket.once('close', () => {
        sockets.delete(socket);
        clearTimeout(timer);
        reject(failure('ECONNRESET', 'closed'));
      });
      socket.once(readyEvent, () => {
        clearTimeout(timer);
        const problem = problemWithPeer(socket, destination);
        if (problem === undefined) {
          answers = watchAnswers(socket);
          resolve(socket);
        } else socket.destroy(problem);
      });
    });
  }

  async function open(options: buildConnector.Options): Promise<Socket> {
    const startedAt = performance.now();
    const destination = destinationOf(options);
    const addresses = await addressesOf(destination);
    if (isClosed) throw new Error('stopped');
    const isSecure = options.protocol === 'https:';
    const patience = Math.max(1, patienceMs() - (performance.now() - startedAt));
    return establish(
      dial(destination, isSecure, addresses),
      isSecure ? 'secureConnect' : 'connect',
      destination,
      patience,
    );
  }

  return {
    connect: (options, onConnect) => {
      open(options).then(
        (socket) => onConnect(null, socket),
        (error: Error) => onConnect(error, null),
      );
    },
    close() {
      isClosed = true;
      for (const socket of sockets) socket.destroy(new Error('stopped'));
    },
  };
}

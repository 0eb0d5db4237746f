import { StewardError, reasonOf } from '../../foundation/errors.ts';
import { sentence } from '../../foundation/text/sentence.ts';
import type { TlsPair } from '../../http/server/commonHeaders.ts';
import type { createServer } from '../../http/server.ts';
import { createStartingServer } from '../../http/server/startingServer.ts';
import type { Settings } from '../settings/settings.ts';
import type { StartContext } from '../startContext.ts';

/** The former process may still be stopping. */
const RETRY_AFTER_SECONDS = 5;

/** Explains why the server cannot listen. */
function listenError(error: unknown, settings: Settings): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') {
    return new StewardError(
      'conflict',
      `Port ${settings.port} of ${settings.host} is in use. Stop the program that uses it, or choose another port with --port.`,
      { retryAfterSeconds: RETRY_AFTER_SECONDS },
    );
  }
  if (code === 'EACCES')
    return new StewardError(
      'forbidden',
      `Port ${settings.port} needs more privileges than this user has. Choose a port above 1023 with --port.`,
    );
  if (code === 'EADDRNOTAVAIL')
    return new StewardError('invalid', `This machine has no address ${settings.host}. Choose another with --host.`);
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return new StewardError(
      'invalid',
      `The name ${settings.host} has no address on this machine (${reasonOf(error)}). Choose an address of this machine with --host, such as 0.0.0.0.`,
    );
  return new StewardError(
    'invalid',
    `Steward cannot listen on port ${settings.port} of ${settings.host}: ${sentence(reasonOf(error))} Choose others with --host and --port.`,
    { cause: error },
  );
}

/** For `localhost`, fastify starts a second server. Its certificate could not be replaced, so TLS listens on one address. */
function hostOf({ host, tlsCert }: Settings): string {
  return host === 'localhost' && tlsCert !== undefined ? '127.0.0.1' : host;
}

export interface TakenPort {
  /** Gives the port up, for the server that serves. */
  release(): Promise<void>;
}

/**
 * Takes the port before the store is opened: a start that cannot have it must not migrate the store. While the start waits for its
 * store, the probes are answered.
 */
export async function takePort(
  { settings, closeStack }: Pick<StartContext, 'settings' | 'closeStack'>,
  tls: TlsPair | undefined,
): Promise<TakenPort> {
  // Any free port will do.
  if (settings.port === 0) return { release: async () => undefined };
  const server = createStartingServer(tls);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(listenError(error, settings)));
    server.listen({ host: hostOf(settings), port: settings.port }, resolve);
  });
  let released: Promise<void> | undefined;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  const release = (): Promise<void> => (released ??= close());
  closeStack.add('port', release);
  return { release };
}

/** Listens for requests and returns the address. Closing waits for the requests in progress. */
export async function listen(
  server: ReturnType<typeof createServer>,
  port: TakenPort,
  { settings, closeStack }: StartContext,
): Promise<string> {
  await port.release();
  const bound = await server
    .listen({ host: hostOf(settings), port: settings.port })
    .catch((error: unknown) => Promise.reject(listenError(error, settings)));
  closeStack.add('server', () => server.close());
  return bound.replace('0.0.0.0', '127.0.0.1').replace('[::]', '[::1]');
}

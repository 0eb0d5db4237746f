import { StewardError } from '../../foundation/errors.ts';
import type { createServer } from '../../http/server/server.ts';
import type { Settings } from '../settings/settings.ts';
import type { StartContext } from './startContext.ts';

function listenError(error: unknown, settings: Settings): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') {
    return new StewardError(
      'conflict',
      `Port ${settings.port} of ${settings.host} is in use. Stop the program that uses it, or choose another port with --port.`,
    );
  }
  if (code === 'EACCES')
    return new StewardError(
      'forbidden',
      `Port ${settings.port} needs more privileges than this user has. Choose a port above 1023 with --port.`,
    );
  if (code === 'EADDRNOTAVAIL')
    return new StewardError('invalid', `This machine has no address ${settings.host}. Choose another with --host.`);
  return error;
}

/** For `localhost`, fastify starts a second server. Its certificate could not be replaced, so TLS listens on one address. */
function hostOf({ host, tlsCert }: Settings): string {
  return host === 'localhost' && tlsCert !== undefined ? '127.0.0.1' : host;
}

/** Listens for requests and returns the address. Closing waits for the requests in progress. */
export async function listen(
  server: ReturnType<typeof createServer>,
  { settings, closeStack }: StartContext,
): Promise<string> {
  const bound = await server
    .listen({ host: hostOf(settings), port: settings.port })
    .catch((error: unknown) => Promise.reject(listenError(error, settings)));
  closeStack.add('server', () => server.close());
  return bound.replace('0.0.0.0', '127.0.0.1').replace('[::]', '[::1]');
}

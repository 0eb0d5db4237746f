import type { Server } from 'node:http';
import { childProgram } from './childProgram.ts';

export interface RunningServer {
  readonly pid: number;
  readonly url: string;
  end(): Promise<void>;
}

/** Listens on a free port and returns the address. */
export function listenOnFreePort(server: Server): Promise<string> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', 1024, () => {
      const address = server.address();
      resolve(typeof address === 'object' ? `http://127.0.0.1:${address?.port}` : '');
    });
  });
}

/** Defines a server in a separate process, to compare Steward with. `listen` returns its address. */
export function childServer<Options extends readonly unknown[]>(
  file: string,
  listen: (...options: Options) => Promise<string>,
): (...options: Options) => Promise<RunningServer> {
  const start = childProgram(file, async (...options: Options) => {
    const url = await listen(...options);
    return (): string => url;
  });
  return async (...options) => {
    const child = start(...options);
    return { ...child, url: await child.ask(undefined) };
  };
}

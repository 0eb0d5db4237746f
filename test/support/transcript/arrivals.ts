// A receiver that keeps what arrives, so that the transcript shows the deliveries as they were sent.
import { createServer } from 'node:http';
import type { Recorder } from './recorder.ts';
import { headerLines, pretty } from './recorder.ts';

interface Arrived {
  readonly path: string;
  readonly lines: readonly string[];
}

export interface Arrivals {
  readonly url: string;
  /** Records what has arrived since the last time, by address: different webhooks do not wait for each other. */
  record(recorder: Recorder): void;
  close(): Promise<void>;
}

/** Starts it. Addresses below `/fail` answer 500. */
export async function startArrivals(): Promise<Arrivals> {
  let arrived: Arrived[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { url: path = '', headers } = request;
      const pairs = Object.entries(headers).map(([name, value]) => [name, String(value)] as const);
      const body = Buffer.concat(chunks).toString();
      const shown =
        headers['content-type'] === 'application/json'
          ? [pretty(body)]
          : [...new URLSearchParams(body)].flat().map(pretty);
      arrived.push({ path, lines: [...headerLines(pairs), '', ...shown] });
      response.writeHead(path.startsWith('/fail') ? 500 : 200).end('heard');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`,
    record(recorder) {
      for (const { path, lines } of arrived.toSorted((one, other) => one.path.localeCompare(other.path)))
        recorder.add(`delivery to ${path}`, ...lines);
      arrived = [];
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

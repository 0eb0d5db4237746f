import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface BufferingProxy {
  readonly url: string;
  /** How many streams it holds back now. */
  held(): number;
  close(): Promise<void>;
}

export interface BufferingProxyOptions {
  readonly target: string;
  /** Whether it sends the head of a stream at once, and holds back the events only. */
  readonly passesHead: boolean;
}

/** Starts a proxy that holds back a stream of events until its end, as one that compresses answers may do. */
export async function startBufferingProxy({ target, passesHead }: BufferingProxyOptions): Promise<BufferingProxy> {
  let held = 0;

  function hold(answer: IncomingMessage, response: ServerResponse): void {
    const chunks: Buffer[] = [];
    held += 1;
    if (passesHead) response.flushHeaders();
    answer.on('data', (chunk: Buffer) => chunks.push(chunk));
    answer.once('close', () => {
      held -= 1;
      response.end(Buffer.concat(chunks));
    });
  }

  const server = createServer((incoming, response) => {
    const { method, headers, url = '/' } = incoming;
    const outgoing = request(new URL(url, target), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      if (answer.headers['content-type']?.startsWith('text/event-stream') === true) hold(answer, response);
      else answer.pipe(response);
    });
    outgoing.once('error', () => response.destroy());
    response.once('close', () => outgoing.destroy());
    incoming.pipe(outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    held: () => held,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

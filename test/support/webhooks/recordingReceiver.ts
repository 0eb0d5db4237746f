import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';

/** The content of every event of these tests. */
export interface EventContent {
  readonly name: string;
  readonly mustFail: boolean;
}

export interface Arrival extends EventContent {
  readonly path: string;
  readonly id: string;
  readonly attempt: number;
  readonly at: number;
  /** Its place among all arrivals, from 0 on. */
  readonly place: number;
}

export interface RecordingReceiver {
  readonly url: string;
  /** The signature key for every webhook that leads here. */
  readonly signatureKey: string;
  /** The complete requests, in the order of their arrival. */
  readonly arrivals: readonly Arrival[];
  /** The ids of the events that arrived at a path. */
  idsAt(path: string): ReadonlySet<string>;
  /** Requests with a wrong signature or a damaged body. */
  readonly problems: readonly string[];
  /** Resolves when it has read all requests of processes that have ended. */
  readAll(): Promise<void>;
  close(): Promise<void>;
}

/** What an ended process has sent waits in the sockets; the event loop accepts and reads it within a few turns. */
const TURNS_TO_READ_ALL = 20;

async function readAll(): Promise<void> {
  for (let turn = 0; turn < TURNS_TO_READ_ALL; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Names one attempt of one delivery. */
export function keyOf(path: string, id: string, attempt: number): string {
  return `${path} ${id} ${attempt}`;
}

/** Starts a receiver that records its requests and answers each with the status of `answer`. */
export async function startRecordingReceiver(
  answer: (arrival: Arrival) => number | Promise<number>,
): Promise<RecordingReceiver> {
  const signatureKey = `whsec_${randomBytes(32).toString('base64')}`;
  const verifier = new Webhook(signatureKey);
  const arrivals: Arrival[] = [];
  const ids = new Map<string, Set<string>>();
  const problems: string[] = [];

  async function receive({ url = '', headers }: IncomingMessage, body: string): Promise<number> {
    try {
      const { data } = verifier.verify(body, headers as Record<string, string>) as { readonly data: EventContent };
      const [id, attempt] = [String(headers['webhook-id']), Number(headers['webhook-attempt'])];
      const { name, mustFail } = data;
      const arrival = { path: url, id, attempt, at: Date.now(), place: arrivals.length, name, mustFail };
      arrivals.push(arrival);
      ids.set(url, (ids.get(url) ?? new Set()).add(id));
      return await answer(arrival);
    } catch (error) {
      problems.push(`${url} ${String(headers['webhook-id'])}: ${String(error)}`);
      return 500;
    }
  }

  async function reply(request: IncomingMessage, body: string, response: ServerResponse): Promise<void> {
    response.statusCode = await receive(request, body);
    response.end();
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => void reply(request, Buffer.concat(chunks).toString(), response));
  });
  // Only the sender ends a connection.
  server.keepAliveTimeout = 600_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`,
    signatureKey,
    arrivals,
    idsAt: (path) => ids.get(path) ?? new Set(),
    problems,
    readAll,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

// The receiver of the test: it verifies every delivery and counts how often each event has arrived.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { randomBytes } from 'node:crypto';
import { systemClock } from '../../foundation/clock.ts';
import { signingKey } from '../../model/webhookSignature.ts';
import { readBody, readDelivery } from '../../wire/documents/receivedDelivery.ts';
import type { Random } from './random.ts';

export interface LedgerReceiver {
  readonly url: string;
  readonly signatureKey: string;
  /** How many distinct events have arrived at each webhook, by the path of the webhook. */
  arrived(path: string): ReadonlySet<string>;
  requests(): number;
  /** Attempts that arrived a second time. */
  repeats(): number;
  /** Requests that are open, or were answered so recently that their outcome may not be stored yet. */
  inFlight(): number;
  wrongSignatures(): number;
  lastArrival(): number;
  close(): Promise<void>;
}

const SLOWEST_ANSWER_MS = 20;
/** The outcome of an attempt is stored within this time after the answer. */
const UNSETTLED_MS = 1000;
/** One attempt in ten of the flaky webhook fails, but none of the last two of five: a delivery that fails for good is not lost. */
const FAILS = 0.1;
const FAILS_UP_TO_ATTEMPT = 3;

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
}

/** Starts the receiver. Deliveries to /flaky fail now and then, so that attempts are repeated by the policy. */
export async function startLedgerReceiver(random: Random): Promise<LedgerReceiver> {
  const signatureKey = `whsec_${randomBytes(32).toString('base64')}`;
  const keys = [signingKey(signatureKey)];
  const events = new Map<string, Set<string>>();
  const attempts = new Set<string>();
  const answered: number[] = [];
  let [requests, repeats, open, wrong, last] = [0, 0, 0, 0, systemClock.now()];

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = (await readBody(request))?.toString() ?? '';
    const { path, id = '', attempt = '', check } = readDelivery(request, body, keys, systemClock.now());
    if (check?.problem !== undefined) wrong += 1;
    requests += 1;
    last = systemClock.now();
    const key = `${path} ${id} ${attempt}`;
    if (attempts.has(key)) repeats += 1;
    attempts.add(key);
    const mustFail = path === '/flaky' && Number(attempt) <= FAILS_UP_TO_ATTEMPT && random.next() < FAILS;
    if (!mustFail) events.set(path, (events.get(path) ?? new Set()).add(id));
    await systemClock.sleep(random.between(0, SLOWEST_ANSWER_MS));
    response.statusCode = mustFail ? 500 : 200;
    response.end();
  }

  const server = createServer((request, response) => {
    open += 1;
    response.once('close', () => {
      open -= 1;
      answered.push(systemClock.now());
    });
    receive(request, response).catch(() => response.destroy());
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    signatureKey,
    arrived: (path) => events.get(path) ?? new Set(),
    requests: () => requests,
    repeats: () => repeats,
    inFlight() {
      const since = systemClock.now() - UNSETTLED_MS;
      while ((answered[0] ?? Number.POSITIVE_INFINITY) < since) answered.shift();
      return open + answered.length;
    },
    wrongSignatures: () => wrong,
    lastArrival: () => last,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

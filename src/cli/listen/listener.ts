// The receiver behind `steward listen`: an HTTP server on an integrator's own machine that verifies deliveries, prints
// them and answers as configured.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import pico from 'picocolors';
import { StewardError } from '../../foundation/errors.ts';
import { signingKey } from '../../model/webhookSignature.ts';
import type { ReceivedDelivery } from '../../wire/documents/receivedDelivery.ts';
import { readDelivery, readBody } from '../../wire/documents/receivedDelivery.ts';
import type { ReceiverAnswer } from '../../wire/documents/receiverAnswer.ts';
import { sendAnswer } from '../../wire/documents/receiverAnswer.ts';
import { deliveryBlock, printable, timeOf, describeAnswer } from './deliveryBlock.ts';

/** Enough to recognize repeated deliveries, and bounded for runs of several days. */
const MAX_REMEMBERED_IDS = 10_000;
/** Longer than a sender pauses between deliveries, so that it does not reuse a connection that is being closed. */
const KEEP_ALIVE_MS = 60_000;

export type Print = (text: string) => void;

export interface Totals {
  readonly received: number;
  readonly verified: number;
  readonly repeats: number;
}

export interface Listener {
  start(): Promise<{ readonly url: string; close(): Promise<void> }>;
  answerWith(answer: ReceiverAnswer): void;
  totals(): Totals;
}

interface ListenerOptions {
  readonly port: number;
  readonly host?: string;
  readonly secret?: string | undefined;
  readonly answer: ReceiverAnswer;
  readonly print: Print;
  readonly now: () => number;
}

function listenError(error: unknown, host: string, port: number): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE')
    return new StewardError(
      'conflict',
      `Port ${port} of ${host} is in use. Stop the program that uses it, or choose another port with --port.`,
    );
  if (code === 'EACCES')
    return new StewardError(
      'forbidden',
      `Port ${port} needs more privileges than this user has. Choose a port above 1023 with --port.`,
    );
  return error;
}

async function open(server: Server, host: string, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(listenError(error, host, port)));
    server.listen(port, host, resolve);
  });
  return `http://${host.includes(':') ? `[${host}]` : host}:${(server.address() as AddressInfo).port}`;
}

/** Closes open connections too: senders that wait for an answer of `never` would keep the server open. */
function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

function reply(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${text}\n`);
}

function createDeliveryCounter(): {
  count(delivery: ReceivedDelivery): { readonly isRepeat: boolean };
  totals(): Totals;
} {
  const seen = new Set<string>();
  let [received, verified, repeats] = [0, 0, 0];
  return {
    count({ id, check }) {
      const isRepeat = id !== undefined && seen.has(id);
      received += 1;
      if (check !== undefined && check.problem === undefined) verified += 1;
      if (isRepeat) repeats += 1;
      if (id !== undefined) seen.add(id);
      const [oldest] = seen;
      if (seen.size > MAX_REMEMBERED_IDS && oldest !== undefined) seen.delete(oldest);
      return { isRepeat };
    },
    totals: () => ({ received, verified, repeats }),
  };
}

/** Creates a receiver that verifies, prints and answers deliveries. */
export function createListener(options: ListenerOptions): Listener {
  const { port, host = '127.0.0.1', secret, print, now } = options;
  const keys = secret === undefined ? [] : [signingKey(secret)];
  const counter = createDeliveryCounter();
  let { answer } = options;

  const refuse = (request: IncomingMessage, response: ServerResponse, status: number, why: string): void => {
    const what = printable(`${request.method} ${request.url}`);
    print(`${pico.dim(timeOf(now()))}  ${pico.red(String(status))}  ${what}  ${pico.red(why)}\n\n`);
    reply(response, status, why);
  };

  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method !== 'POST') {
      response.setHeader('allow', 'POST');
      return refuse(request, response, 405, 'not a delivery: deliveries are sent with POST');
    }
    const body = await readBody(request);
    if (body === undefined) return refuse(request, response, 413, 'the body is larger than 1 MiB');
    const delivery = readDelivery(request, body.toString('utf8'), keys, now());
    const problem = delivery.check?.problem;
    // Answering 200 to an unverified delivery would hide a wrong key from sender and receiver.
    const given: ReceiverAnswer = problem === undefined ? answer : { kind: 'status', status: 401 };
    print(deliveryBlock(delivery, { now: now(), answered: describeAnswer(given), ...counter.count(delivery) }));
    if (problem !== undefined) return reply(response, 401, problem);
    sendAnswer(response, given, (status) => reply(response, status, `steward listen answered ${status}`));
  };

  return {
    async start() {
      const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
        receive(request, response).catch((error: unknown) => {
          // An error after the whole body has arrived is a bug and ends the process.
          if (request.complete) throw error;
          print(
            `${pico.dim(timeOf(now()))}  ${pico.yellow('the sender closed the connection before the end of the body')}\n\n`,
          );
        });
      });
      const url = await open(server, host, port);
      return { url, close: () => close(server) };
    },
    answerWith(next) {
      answer = next;
    },
    totals: counter.totals,
  };
}

// The receiver of the demo: an HTTP server on loopback that verifies, remembers and answers deliveries, with a page that
// shows them. Each name below /receive has an inbox.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StewardError, invalidField, reasonOf } from '../../foundation/errors.ts';
import { signingKey } from '../../model/webhookSignature.ts';
import { page } from '../../http/server/page/page.ts';
import type { ReceivedDelivery } from '../../wire/documents/receivedDelivery.ts';
import { readBody, readDelivery } from '../../wire/documents/receivedDelivery.ts';
import { sendAnswer } from '../../wire/documents/receiverAnswer.ts';
import { STATUSES, errorBody } from '../../wire/answers/errorBody.ts';
import type { Arrival, Inbox, Inboxes } from './inbox.ts';
import { addArrival, createInboxes, newInbox, readBehaviour, summaryOf } from './inbox.ts';

const HOST = '127.0.0.1';
const MAX_BODY_SHOWN = 4 * 1024;
const MAX_NAME_LENGTH = 100;
const ABOUT =
  'This is the demo receiver of Steward: simulated, for trying out only. Its content is lost when Steward stops.';
const PAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'";
const INSTRUCTIONS = {
  'Send deliveries to': 'POST /receive/<name>',
  'Change the answer with':
    'curl -d answer=500 <this address>/behave/<name>, or answer=slow -d seconds=5, or answer=never',
  'Clear a box with': 'curl -X POST <this address>/clear/<name>',
};

interface ReceiverRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The path as sent, without the query. */
  readonly path: string;
  readonly name: string;
}

interface DemoReceiverOptions {
  /** 0 takes a free port. */
  readonly port: number;
  /** Returns the current secrets of all webhooks whose address has this path. */
  readonly secretsFor: (webhookUrlPath: string) => Promise<readonly string[]>;
  readonly now: () => number;
}

export interface DemoReceiver {
  readonly url: string;
  readonly inboxes: Inboxes;
  close(): Promise<void>;
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const body = await readBody(request);
  return body ?? Promise.reject(new StewardError('tooLarge', 'The body is larger than 1 MiB.'));
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  const headers = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };
  response.writeHead(status, headers).end(`${JSON.stringify(body, undefined, 2)}\n`);
}

function sendPage(response: ServerResponse, title: string, body: object): void {
  const headers = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': PAGE_POLICY };
  response.writeHead(200, headers).end(page({ title, about: ABOUT, body, site: { prefix: '', home: '/' } }));
}

function asksForJson(request: IncomingMessage): boolean {
  const format = new URLSearchParams(request.url?.split('?')[1]).get('f');
  return format === 'json' || format === 'pjson' || (request.headers.accept ?? '').includes('application/json');
}

/** Why a delivery could not be verified; undefined if it was. */
function verificationProblem(delivery: ReceivedDelivery, secretsError: string | undefined): string | undefined {
  if (delivery.check !== undefined) return delivery.check.problem;
  return secretsError === undefined
    ? 'no webhook sends to this address'
    : `the secrets could not be read: ${secretsError}`;
}

function arrivalOf(
  { id, type, attempt = '' }: ReceivedDelivery,
  { bytes, problem, inbox, now }: { bytes: Buffer; problem: string | undefined; inbox: Inbox; now: number },
): Arrival {
  return {
    at: new Date(now).toISOString(),
    id: id ?? null,
    type: type ?? null,
    attempt: /^\d{1,9}$/.test(attempt) ? Number(attempt) : null,
    verified: problem === undefined,
    problem: problem ?? null,
    repeat: id !== undefined && inbox.ids.has(id),
    answered: null,
    // Cut from the bytes: a slice of the text would keep the whole text in memory.
    body: bytes.toString('utf8', 0, MAX_BODY_SHOWN),
  };
}

async function receive(received: ReceiverRequest, inboxes: Inboxes, options: DemoReceiverOptions): Promise<void> {
  const { request, response, path, name } = received;
  const bytes = await bodyOf(request);
  const secrets = await options.secretsFor(path).catch((error: unknown) => reasonOf(error));
  const [keys, secretsError] = typeof secrets === 'string' ? [[], secrets] : [secrets.map(signingKey), undefined];
  const delivery = readDelivery(request, bytes.toString('utf8'), keys, options.now());
  const problem = verificationProblem(delivery, secretsError);
  const inbox = inboxes.open(name);
  const arrival = arrivalOf(delivery, { bytes, problem, inbox, now: options.now() });
  addArrival(inbox, arrival);
  sendAnswer(response, inbox.answer, (status) => {
    arrival.answered = status;
    sendJson(response, status, { receiver: 'demo', answered: status });
  });
}

type Handler = (received: ReceiverRequest, inboxes: Inboxes, options: DemoReceiverOptions) => Promise<void> | void;

const HANDLERS: Readonly<Record<string, Handler>> = {
  'GET ': ({ request, response }, { byName }) => {
    const boxes = [...byName].map(([name, inbox]) => summaryOf(name, inbox));
    if (asksForJson(request)) return sendJson(response, 200, { about: ABOUT, boxes });
    sendPage(response, 'Demo receiver of Steward', { boxes, ...INSTRUCTIONS });
  },
  'GET receive': ({ request, response, name }, { byName }) => {
    const inbox = byName.get(name) ?? newInbox();
    const view = { ...summaryOf(name, inbox), deliveries: inbox.deliveries };
    const isBrowser = (request.headers.accept ?? '').includes('text/html');
    if (asksForJson(request) || !isBrowser) return sendJson(response, 200, { about: ABOUT, ...view });
    sendPage(response, `Demo receiver: ${encodeURIComponent(name)}`, view);
  },
  'POST receive': receive,
  'POST behave': async ({ request, response, name }, inboxes) => {
    const answer = readBehaviour(Object.fromEntries(new URLSearchParams((await bodyOf(request)).toString('utf8'))));
    const inbox = inboxes.open(name);
    inbox.answer = answer;
    sendJson(response, 200, summaryOf(name, inbox));
  },
  // Also drops the behaviour, so that the inbox no longer counts towards the maximum.
  'POST clear': ({ response, name }, { byName }) => {
    byName.delete(name);
    sendJson(response, 200, summaryOf(name, newInbox()));
  },
};

function nameOf(encoded: string): string {
  const problem = `must be percent-encoded UTF-8 of at most ${MAX_NAME_LENGTH} characters`;
  try {
    const name = decodeURIComponent(encoded);
    if (name.length <= MAX_NAME_LENGTH) return name;
  } catch {
    throw invalidField('name', problem);
  }
  throw invalidField('name', problem);
}

async function route(
  request: IncomingMessage,
  response: ServerResponse,
  inboxes: Inboxes,
  options: DemoReceiverOptions,
): Promise<void> {
  const [path = '/'] = (request.url ?? '/').split('?', 1);
  const [, verb = '', encoded = ''] = /^\/(receive|behave|clear)\/([^/]+)$/.exec(path) ?? [];
  if (verb === '' && path !== '/')
    throw new StewardError('notFound', `The address ${path} does not exist. Start at /.`);
  const handle = HANDLERS[`${request.method} ${verb}`];
  if (handle === undefined) {
    const methods = ['GET', 'POST'].filter((method) => `${method} ${verb}` in HANDLERS).join(', ');
    response.setHeader('allow', methods);
    throw new StewardError('methodNotAllowed', `${path} takes ${methods}.`);
  }
  await handle({ request, response, path, name: nameOf(encoded) }, inboxes, options);
}

function sendError(response: ServerResponse, error: unknown): void {
  const known = error instanceof StewardError ? error : new StewardError('internal', reasonOf(error));
  sendJson(response, STATUSES[known.code].http, errorBody(known.code, known.message, known.details));
}

/** Starts a receiver for trying webhooks. It listens on loopback only and keeps everything in memory. */
export async function startDemoReceiver(options: DemoReceiverOptions): Promise<DemoReceiver> {
  const inboxes = createInboxes();
  const server = createServer((request, response) => {
    route(request, response, inboxes, options).catch((error: unknown) => sendError(response, error));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) =>
      reject(new StewardError('conflict', `The demo receiver cannot use port ${options.port}: ${reasonOf(error)}`)),
    );
    server.listen(options.port, HOST, resolve);
  });
  return {
    inboxes,
    url: `http://${HOST}:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        // Requests answered with `never` would keep the server open.
        server.closeAllConnections();
      }),
  };
}

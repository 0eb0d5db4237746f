import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StewardError, invalidField, reasonOf } from '../../foundation/errors.ts';
import { signingKey } from '../../model/webhookSignature.ts';
import { page } from '../../http/pages/page.ts';
import { readDelivery, readBody } from '../../wire/documents/receivedDelivery.ts';
import type { ReceiverAnswer } from '../../wire/documents/receiverAnswer.ts';
import {
  ANSWER_CHOICES,
  SLOW_SECONDS,
  sendAnswer,
  readReceiverAnswer,
  readSlowSeconds,
} from '../../wire/documents/receiverAnswer.ts';
import { STATUSES, errorBody } from '../../wire/answers/errorBody.ts';
import type { Arrival, Boxes } from './inbox.ts';
import { createBoxes, newBox, remember, summary } from './inbox.ts';

const HOST = '127.0.0.1';
const KEPT_BODY = 4 * 1024;
const LONGEST_NAME = 100;
const ABOUT = 'This is the demo receiver of Steward: simulated, for trying only, and forgotten when Steward stops.';
const PAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'";
const HOW = {
  'Send deliveries to': 'POST /receive/<name>',
  'Change the answer with':
    'curl -d answer=500 <this address>/behave/<name>, or answer=slow -d seconds=5, or answer=never',
  'Forget a box with': 'curl -X POST <this address>/clear/<name>',
};

interface Asked {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** As it was sent, without the query. */
  readonly path: string;
  readonly name: string;
}

interface DemoReceiverNeeds {
  /** 0 for a free one. */
  readonly port: number;
  /** Every secret that a webhook with this path in its address may sign with now. */
  readonly secretsFor: (webhookUrlPath: string) => Promise<readonly string[]>;
  readonly now: () => number;
}

export interface DemoReceiver {
  readonly url: string;
  close(): Promise<void>;
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const body = await readBody(request);
  return body ?? Promise.reject(new StewardError('tooLarge', 'The body is larger than 1 MiB.'));
}

function readBehaviour(form: URLSearchParams): ReceiverAnswer {
  const seconds = readSlowSeconds(form.get('seconds') ?? '30');
  const answer = readReceiverAnswer(form.get('answer') ?? '', seconds ?? 0);
  if (answer === undefined) throw invalidField('answer', `must be ${ANSWER_CHOICES}`);
  if (answer.kind === 'slow' && seconds === undefined) throw invalidField('seconds', `must be ${SLOW_SECONDS}`);
  return answer;
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  const headers = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };
  response.writeHead(status, headers).end(`${JSON.stringify(body, undefined, 2)}\n`);
}

function sendPage(response: ServerResponse, title: string, body: object): void {
  const headers = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': PAGE_POLICY };
  response.writeHead(200, headers).end(page({ title, about: ABOUT, body, home: '/' }));
}

function asksForJson(request: IncomingMessage): boolean {
  const format = new URLSearchParams(request.url?.split('?')[1]).get('f');
  return format === 'json' || format === 'pjson' || (request.headers.accept ?? '').includes('application/json');
}

async function receive(asked: Asked, { boxFor }: Boxes, needs: DemoReceiverNeeds): Promise<void> {
  const { request, response, path, name } = asked;
  const bytes = await bodyOf(request);
  const secrets = await needs.secretsFor(path).catch((error: unknown) => reasonOf(error));
  const keys = typeof secrets === 'string' ? [] : secrets.map(signingKey);
  const {
    id = null,
    type = null,
    attempt = '',
    check,
  } = readDelivery(request, bytes.toString('utf8'), keys, needs.now());
  const unchecked =
    typeof secrets === 'string' ? `the secrets could not be read: ${secrets}` : 'no webhook has this address';
  const problem = check === undefined ? unchecked : (check.problem ?? null);
  const box = boxFor(name);
  const arrival: Arrival = {
    at: new Date(needs.now()).toISOString(),
    id,
    type,
    attempt: /^\d{1,9}$/.test(attempt) ? Number(attempt) : null,
    verified: problem === null,
    problem,
    repeat: id !== null && box.ids.has(id),
    answered: null,
    // Cut from the bytes: a slice of the text would keep all of it in memory.
    body: bytes.toString('utf8', 0, KEPT_BODY),
  };
  remember(box, arrival);
  sendAnswer(response, box.answer, (status) => {
    arrival.answered = status;
    sendJson(response, status, { receiver: 'demo', answered: status });
  });
}

type Handler = (asked: Asked, boxes: Boxes, needs: DemoReceiverNeeds) => Promise<void> | void;

const HANDLERS: Readonly<Record<string, Handler>> = {
  'GET ': ({ request, response }, { boxes }) => {
    const all = [...boxes].map(([name, box]) => summary(name, box));
    if (asksForJson(request)) return sendJson(response, 200, { about: ABOUT, boxes: all });
    sendPage(response, 'Demo receiver of Steward', { boxes: all, ...HOW });
  },
  'GET receive': ({ request, response, name }, { boxes }) => {
    const box = boxes.get(name) ?? newBox();
    const view = { ...summary(name, box), deliveries: box.deliveries };
    const isBrowser = (request.headers.accept ?? '').includes('text/html');
    if (asksForJson(request) || !isBrowser) return sendJson(response, 200, { about: ABOUT, ...view });
    sendPage(response, `Demo receiver: ${encodeURIComponent(name)}`, view);
  },
  'POST receive': receive,
  'POST behave': async ({ request, response, name }, { boxFor }) => {
    const answer = readBehaviour(new URLSearchParams((await bodyOf(request)).toString('utf8')));
    const box = boxFor(name);
    box.answer = answer;
    sendJson(response, 200, summary(name, box));
  },
  // Its behaviour is forgotten too, so that the box counts no longer.
  'POST clear': ({ response, name }, { boxes }) => {
    boxes.delete(name);
    sendJson(response, 200, summary(name, newBox()));
  },
};

function nameOf(encoded: string): string {
  const problem = `must be percent-encoded UTF-8 of at most ${LONGEST_NAME} characters`;
  try {
    const name = decodeURIComponent(encoded);
    if (name.length <= LONGEST_NAME) return name;
  } catch {
    throw invalidField('name', problem);
  }
  throw invalidField('name', problem);
}

async function route(request: IncomingMessage, response: ServerResponse, boxes: Boxes, needs: DemoReceiverNeeds) {
  const [path = '/'] = (request.url ?? '/').split('?', 1);
  const [, verb = '', encoded = ''] = /^\/(receive|behave|clear)\/([^/]+)$/.exec(path) ?? [];
  if (verb === '' && path !== '/') throw new StewardError('notFound', `There is nothing at ${path}. Begin at /.`);
  const handle = HANDLERS[`${request.method} ${verb}`];
  if (handle === undefined) {
    const methods = ['GET', 'POST'].filter((method) => `${method} ${verb}` in HANDLERS).join(', ');
    response.setHeader('allow', methods);
    throw new StewardError('methodNotAllowed', `${path} takes ${methods}.`);
  }
  await handle({ request, response, path, name: nameOf(encoded) }, boxes, needs);
}

function sendError(response: ServerResponse, error: unknown): void {
  const known = error instanceof StewardError ? error : new StewardError('internal', reasonOf(error));
  sendJson(response, STATUSES[known.code].http, errorBody(known.code, known.message, known.details));
}

/** A receiver to try webhooks with, on loopback and in memory. It says of itself that it is simulated. */
export async function startDemoReceiver(needs: DemoReceiverNeeds): Promise<DemoReceiver> {
  const boxes = createBoxes();
  const server = createServer((request, response) => {
    route(request, response, boxes, needs).catch((error: unknown) => sendError(response, error));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) =>
      reject(new StewardError('conflict', `The demo receiver cannot use port ${needs.port}: ${reasonOf(error)}`)),
    );
    server.listen(needs.port, HOST, resolve);
  });
  return {
    url: `http://${HOST}:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        // What hangs under `never` would otherwise hang for ever.
        server.closeAllConnections();
      }),
  };
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SECOND } from '../foundation/clock.ts';
import { StewardError, invalidField, reasonOf } from '../foundation/errors.ts';
import { problemWithSignature, signingKey } from '../foundation/webhookSignature.ts';
import { page } from '../http/page.ts';
import { STATUSES, errorBody } from '../wire/statuses.ts';

const HOST = '127.0.0.1';
const MOST_BOXES = 100;
const KEPT_DELIVERIES = 200;
const KEPT_IDS = 10_000;
const KEPT_BODY = 4 * 1024;
const LARGEST_BODY = 1024 * 1024;
const LONGEST_NAME = 100;
const LONGEST_SECONDS = 3600;
const ABOUT = 'This is the demo receiver of Steward: simulated, for trying only, and forgotten when Steward stops.';
const PAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'";
const HOW = {
  'Send deliveries to': 'POST /receive/<name>',
  'Change the answer with':
    'curl -d answer=500 <this address>/behave/<name>, or answer=slow -d seconds=5, or answer=never',
  'Forget a box with': 'curl -X POST <this address>/clear/<name>',
};

/** `answer` is a status, `slow` (a 200 after `seconds`) or `never`. */
interface Behaviour {
  readonly answer: string;
  readonly seconds?: number;
}

interface Arrival {
  readonly at: string;
  readonly id: string | null;
  readonly type: string | null;
  readonly attempt: number | null;
  readonly verified: boolean;
  readonly problem: string | null;
  readonly repeat: boolean;
  /** Null until it is answered: for ever under `never`, and when the sender did not wait. */
  answered: number | null;
  readonly body: string;
}

interface Box {
  behaviour: Behaviour;
  readonly counts: { received: number; distinctIds: number; verified: number; repeats: number };
  readonly ids: Set<string>;
  /** Newest first. */
  readonly deliveries: Arrival[];
}

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

function newBox(): Box {
  const counts = { received: 0, distinctIds: 0, verified: 0, repeats: 0 };
  return { behaviour: { answer: '200' }, counts, ids: new Set(), deliveries: [] };
}

function summary(name: string, { behaviour, counts }: Box): object {
  return { name, path: `/receive/${encodeURIComponent(name)}`, behaviour, ...counts };
}

/** The rest of what is too large is read all the same, or the sender would meet a reset and not the 413. */
async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= LARGEST_BODY) chunks.push(chunk);
  }
  if (size > LARGEST_BODY) throw new StewardError('tooLarge', 'The body is larger than 1 MiB.');
  return Buffer.concat(chunks);
}

function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

function typeOf(request: IncomingMessage, body: string): string | null {
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(request.headers['content-type'] ?? '');
  try {
    const sent: unknown = JSON.parse(isForm ? (new URLSearchParams(body).get('payload') ?? '') : body);
    if (typeof sent !== 'object' || sent === null || !('type' in sent)) return null;
    return typeof sent.type === 'string' ? sent.type : null;
  } catch {
    return null;
  }
}

function readBehaviour(form: URLSearchParams): Behaviour {
  const answer = form.get('answer') ?? '';
  if (!/^(?:[2-5]\d\d|slow|never)$/.test(answer))
    throw invalidField('answer', 'must be a status from 200 to 599, slow or never');
  if (answer !== 'slow') return { answer };
  const text = form.get('seconds') ?? '30';
  const seconds = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : -1;
  if (seconds < 0 || seconds > LONGEST_SECONDS)
    throw invalidField('seconds', `must be a number of seconds from 0 to ${LONGEST_SECONDS}`);
  return { answer, seconds };
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

function answerAs(response: ServerResponse, { answer, seconds = 0 }: Behaviour, arrival: Arrival): void {
  if (answer === 'never') return;
  const status = answer === 'slow' ? 200 : Number(answer);
  const timer = setTimeout(() => {
    arrival.answered = status;
    sendJson(response, status, { receiver: 'demo', answered: status });
  }, seconds * SECOND);
  response.once('close', () => clearTimeout(timer));
}

function remember(box: Box, arrival: Arrival): void {
  const { counts, ids, deliveries } = box;
  counts.received += 1;
  if (arrival.verified) counts.verified += 1;
  if (arrival.repeat) counts.repeats += 1;
  if (arrival.id !== null && !arrival.repeat) {
    counts.distinctIds += 1;
    ids.add(arrival.id);
  }
  const [oldest] = ids;
  if (ids.size > KEPT_IDS && oldest !== undefined) ids.delete(oldest);
  deliveries.unshift(arrival);
  deliveries.length = Math.min(deliveries.length, KEPT_DELIVERIES);
}

type Boxes = ReturnType<typeof createBoxes>;

function createBoxes() {
  const boxes = new Map<string, Box>();
  return {
    boxes,
    boxFor(name: string): Box {
      const found = boxes.get(name) ?? newBox();
      if (boxes.size >= MOST_BOXES && !boxes.has(name))
        throw new StewardError('conflict', `There are ${MOST_BOXES} boxes already. Forget one: POST /clear/<name>.`);
      boxes.set(name, found);
      return found;
    },
  };
}

async function problemWith({ request, path }: Asked, body: string, needs: DemoReceiverNeeds): Promise<string | null> {
  const signed = {
    id: header(request, 'webhook-id'),
    timestamp: header(request, 'webhook-timestamp'),
    signature: header(request, 'webhook-signature'),
  };
  const secrets = await needs.secretsFor(path).catch((error: unknown) => reasonOf(error));
  if (typeof secrets === 'string') return `the secrets could not be read: ${secrets}`;
  const problems = secrets.map((secret) => problemWithSignature(signingKey(secret), signed, body, needs.now()));
  return problems.includes(undefined) ? null : (problems[0] ?? 'no webhook has this address');
}

async function receive(asked: Asked, { boxFor }: Boxes, needs: DemoReceiverNeeds): Promise<void> {
  const { request, response, name } = asked;
  const bytes = await readBody(request);
  const body = bytes.toString('utf8');
  const problem = await problemWith(asked, body, needs);
  const box = boxFor(name);
  const id = header(request, 'webhook-id') ?? null;
  const attempt = header(request, 'webhook-attempt') ?? '';
  const arrival: Arrival = {
    at: new Date(needs.now()).toISOString(),
    id,
    type: typeOf(request, body),
    attempt: /^\d{1,9}$/.test(attempt) ? Number(attempt) : null,
    verified: problem === null,
    problem,
    repeat: id !== null && box.ids.has(id),
    answered: null,
    // Cut from the bytes: a slice of the text would keep all of it in memory.
    body: bytes.toString('utf8', 0, KEPT_BODY),
  };
  remember(box, arrival);
  answerAs(response, box.behaviour, arrival);
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
    const behaviour = readBehaviour(new URLSearchParams((await readBody(request)).toString('utf8')));
    const box = boxFor(name);
    box.behaviour = behaviour;
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

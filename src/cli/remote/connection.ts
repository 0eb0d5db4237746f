// The requests of commands to the server. An error of the server becomes an error of the command, with the server's own words.
import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { Agent, FormData, Response, request } from 'undici';
import type { Dispatcher } from 'undici';
import { reasonOf } from '../../foundation/errors.ts';
import type { ErrorCode } from '../../foundation/errors.ts';
import { isObject, valueAt } from '../../foundation/schema/json.ts';
import { sentence } from '../../foundation/text/sentence.ts';
import { STATUSES } from '../../wire/answers/errorBody.ts';
import type { Address } from '../../wire/client/call.ts';
import type { Exit } from './exitCodes.ts';
import { CommandFailure, exitOf } from './exitCodes.ts';
import type { ServerAddress } from './serverAddress.ts';
import { locate, readAddress } from './serverAddress.ts';

export type FormFields = Readonly<Record<string, string>>;

export interface SentFile {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

interface Request {
  readonly method: 'GET' | 'POST';
  readonly fields: FormFields;
  readonly files?: Readonly<Record<string, SentFile>>;
  /** Set for an answer that is not JSON, or lines of it. */
  readonly isRaw?: true;
  /** Called while the body is sent. */
  readonly onSent?: (bytes: number, total: number) => void;
}

/** A request to an operation, or to a path below the server that is not one. */
export type Call = Request &
  ({ readonly path: Address; readonly outside?: undefined } | { readonly path?: undefined; readonly outside: string });

export interface Connection {
  /** The address of the server, for messages. */
  readonly base: string;
  call(call: Call): Promise<unknown>;
  download(call: Call): Promise<Uint8Array>;
  /** Returns a success piece by piece, for answers of any size. */
  pieces(call: Call): AsyncIterable<Uint8Array>;
  /** Opens a stream of server-sent events. Throws `CommandFailure` with `noServer` if the connection cannot be made. */
  stream(path: Address, lastEventId: number, signal: AbortSignal): Promise<AsyncIterable<Uint8Array> | undefined>;
  close(): Promise<void>;
}

export interface ConnectionOptions {
  readonly url: string;
  readonly token: string | undefined;
  readonly caFile: string | undefined;
}

const CHUNK = 64 * 1024;
const ANSWER_MS = 120_000;
const CONNECT_MS = 10_000;
const NO_CONTENT = 204;

function readCertificates(caFile: string): string {
  try {
    return readFileSync(caFile, 'utf8');
  } catch (error) {
    throw new CommandFailure('usage', `--ca-file: ${reasonOf(error)}`);
  }
}

/** Two errors have the code 503 and the same exit code. */
const ERROR_BY_CODE = new Map<unknown, ErrorCode>(
  (Object.keys(STATUSES) as ErrorCode[]).map((code) => [STATUSES[code].code, code]),
);

const NEXT: Partial<Readonly<Record<ErrorCode, string>>> = {
  tokenInvalid: 'Sign in again with steward login.',
  tokenMissing: 'Sign in with steward login, or set STEWARD_TOKEN.',
};

type Refusal = Pick<Dispatcher.ResponseData, 'statusCode' | 'headers'>;

/** A server that names no time to try again is not available until a person has done something. */
function exitFor(code: ErrorCode, { headers }: Refusal): Exit {
  return code === 'unavailable' && headers['retry-after'] === undefined ? 'failed' : exitOf(code);
}

const SEE = 'See docs/proxies.md.';

/** What a proxy before Steward says with a status, and what to do. Steward itself would answer with its own error. */
const PROXY_ANSWERS: Readonly<Record<number, readonly [exit: Exit, what: string, next: string]>> = {
  413: [
    'failed',
    'The proxy before Steward does not accept a body of this size. Nothing has reached Steward.',
    `Raise the limit of the proxy: client_max_body_size of nginx, LimitRequestBody of Apache, request_body max_size of Caddy. ${SEE}`,
  ],
  502: [
    'unavailable',
    'The proxy before Steward gets no answer from it.',
    `Check that Steward runs, and where the proxy sends requests. ${SEE}`,
  ],
  503: [
    'unavailable',
    'The proxy before Steward has no server to send the request to.',
    `Check that Steward runs and is ready (/readyz), and where the proxy sends requests. ${SEE}`,
  ],
  504: [
    'unavailable',
    'The proxy before Steward did not wait for its answer. The request may still be carried out: look before you repeat it.',
    `Raise the time limit of the proxy: proxy_read_timeout of nginx, timeout of ProxyPass of Apache, timeout server of HAProxy. ${SEE}`,
  ],
};

/** An answer that is not Steward's own. */
function strangerOf({ statusCode }: Refusal, name: string): CommandFailure {
  const [exit, what, next] = PROXY_ANSWERS[statusCode] ?? [];
  if (exit === undefined)
    return new CommandFailure(
      'failed',
      `${name} answered ${statusCode}, and not as Steward does. Is the address right?`,
    );
  return new CommandFailure(exit, `${name} answered ${statusCode}. ${what}`, next === undefined ? [] : [next]);
}

function failureOf(refusal: Refusal, text: string, name: string): CommandFailure {
  const found = parsed(text);
  const message = valueAt(found, 'error', 'message');
  const code = ERROR_BY_CODE.get(valueAt(found, 'error', 'code'));
  if (typeof message !== 'string' || code === undefined) return strangerOf(refusal, name);
  const details = valueAt(found, 'error', 'details');
  const next = NEXT[code];
  return new CommandFailure(exitFor(code, refusal), message, [
    ...(Array.isArray(details) ? details.map(String) : []),
    ...(next === undefined ? [] : [next]),
  ]);
}

/** The answer of a server may be larger than what Steward accepts, so its size is not limited here. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused. Is it running?',
  ENOTFOUND: 'there is no such host.',
  EAI_AGAIN: 'the name of the host cannot be resolved.',
  ECONNRESET: 'it closed the connection.',
  UND_ERR_SOCKET: 'it closed the connection.',
  UND_ERR_CONNECT_TIMEOUT: 'it does not answer.',
  UND_ERR_HEADERS_TIMEOUT: 'it does not answer.',
  UND_ERR_BODY_TIMEOUT: 'it stopped in the middle of its answer.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed. Trust it with --ca-file.',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is of an unknown authority. Trust it with --ca-file.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is of an unknown authority. Trust it with --ca-file.',
  CERT_HAS_EXPIRED: 'its certificate has expired.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host.',
  HPE_INVALID_CONSTANT: 'its answer is not HTTP. Does the address need https?',
};

/** A host with several addresses fails with one error for each. */
function firstCode(error: unknown): string | undefined {
  if (error instanceof AggregateError) return firstCode(error.errors[0]);
  return isObject(error) && typeof error['code'] === 'string' ? error['code'] : undefined;
}

function noServer(name: string, error: unknown): CommandFailure {
  const reason = REASONS[firstCode(error) ?? ''] ?? sentence(reasonOf(error));
  return new CommandFailure('noServer', `No answer from ${name}: ${reason}`);
}

async function encode(fields: FormFields, files: Readonly<Record<string, SentFile>>) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  for (const [name, { name: fileName, bytes }] of Object.entries(files)) form.append(name, new Blob([bytes]), fileName);
  const encoded = new Response(form);
  return { type: encoded.headers.get('content-type') ?? '', bytes: Buffer.from(await encoded.arrayBuffer()) };
}

/** Yields the body piece by piece, so that its progress can be shown. */
async function* slices(bytes: Buffer, onSent: NonNullable<Call['onSent']>): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += CHUNK) {
    yield bytes.subarray(at, at + CHUNK);
    onSent(Math.min(at + CHUNK, bytes.length), bytes.length);
  }
}

export function openConnection({ url, token, caFile }: ConnectionOptions): Connection {
  const { base: name } = readAddress(url);
  const ca = caFile === undefined ? {} : { ca: readCertificates(caFile) };
  const dispatcher = new Agent({
    connect: { ...ca, timeout: CONNECT_MS },
    headersTimeout: ANSWER_MS,
    bodyTimeout: ANSWER_MS,
  });
  const headers = { accept: 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) };

  let located: Promise<ServerAddress> | undefined;

  async function askOpenly(at: string): Promise<unknown> {
    const { statusCode, body } = await request(at, { dispatcher, headers: { accept: 'application/json' } });
    const text = await body.text();
    return statusCode === 200 ? parsed(text) : undefined;
  }

  /** Asks the server once, and only if the address does not tell. */
  function address(): Promise<ServerAddress> {
    located ??= locate(url, askOpenly);
    return located;
  }

  async function send({ method, path, fields, files, outside, isRaw, onSent }: Call): Promise<Dispatcher.ResponseData> {
    const { base, origin } = await address();
    const query = new URLSearchParams({ ...fields, ...(method === 'GET' && isRaw !== true && { f: 'json' }) });
    if (outside !== undefined) return request(origin + outside, { dispatcher, headers });
    if (method === 'GET') return request(`${base}${path}?${query.toString()}`, { dispatcher, headers });
    const { type, bytes } =
      files === undefined
        ? { type: 'application/x-www-form-urlencoded', bytes: Buffer.from(new URLSearchParams(fields).toString()) }
        : await encode(fields, files);
    return request(`${base}${path}`, {
      dispatcher,
      method,
      headers: { ...headers, 'content-type': type, 'content-length': String(bytes.length) },
      body: onSent === undefined ? bytes : Readable.from(slices(bytes, onSent)),
    });
  }

  /** Sends a request and returns the body of a success. */
  async function exchange(call: Call): Promise<Uint8Array> {
    try {
      const answer = await send(call);
      const bytes = await answer.body.bytes();
      if (answer.statusCode < 300) return bytes;
      throw failureOf(answer, Buffer.from(bytes).toString(), name);
    } catch (error) {
      throw error instanceof CommandFailure ? error : noServer(name, error);
    }
  }

  return {
    base: name,
    async call(call) {
      const text = Buffer.from(await exchange(call)).toString();
      const body = parsed(text);
      if (body !== undefined) return body;
      throw new CommandFailure('failed', `${name} did not answer with JSON. Is the address right?`);
    },
    download: exchange,
    async *pieces(call) {
      try {
        const answer = await send(call);
        if (answer.statusCode >= 300) throw failureOf(answer, await answer.body.text(), name);
        yield* answer.body;
      } catch (error) {
        throw error instanceof CommandFailure ? error : noServer(name, error);
      }
    },
    async stream(path, lastEventId, signal) {
      try {
        const { base } = await address();
        const answer = await request(base + path, {
          dispatcher,
          signal,
          bodyTimeout: 45_000,
          headers: { ...headers, accept: 'text/event-stream', 'last-event-id': String(lastEventId) },
        });
        if (answer.statusCode === NO_CONTENT) return undefined;
        if (answer.statusCode < 300) return answer.body;
        throw failureOf(answer, await answer.body.text(), name);
      } catch (error) {
        throw error instanceof CommandFailure ? error : noServer(name, error);
      }
    },
    // All answers were read, or their server is gone.
    close: () => dispatcher.destroy(),
  };
}

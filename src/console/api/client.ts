// Requests to the public API, as the signed-in user: the browser sends the session cookie, and writes carry the CSRF token. A function
// that calls an operation has two signatures: that of its callers follows from the row of the operation, the other fits all rows.
import { SERVER } from './server.ts';
import type { Address, Answer, IfRequires, Reading, Sending, SentFields, Signature } from '../../wire/client/call.ts';
import type { Outage } from './connection.ts';
import { createConnection } from './connection.ts';
import { api } from './operations.ts';
import { errorIn, proxyText } from './proxyAnswer.ts';
import { learnTime } from './serverClock.ts';

/** A request that was refused or not answered. The message of a refusal is the server's own. */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure';
  /** The HTTP status; 0 if the server did not answer. */
  readonly status: number;
  readonly details: readonly string[];

  constructor(status: number, message: string, details: readonly string[] = []) {
    super(message);
    this.status = status;
    this.details = details;
  }
}

/** A change that was sent and not answered by Steward. It may have been carried out. */
export class UncertainFailure extends ApiFailure {
  constructor(status: number, cause: string) {
    super(status, `${cause} It is not known whether this was done. Look at the page again before you repeat it.`);
  }
}

const SIGNED_OUT: ReadonlySet<number> = new Set([401, 498, 499]);

/** Whether a request failed because the session has ended. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof ApiFailure && SIGNED_OUT.has(error.status);
}

type FieldValue = string | number | boolean | File | undefined;
/** Fields of any operation. Those that call one give the fields of its row. */
export type Fields = Readonly<Record<string, FieldValue>>;

let csrfToken = '';

export function setCsrfToken(token: string): void {
  csrfToken = token;
}

type TextValue = Exclude<FieldValue, File | undefined>;

/** The fields that are given and not files. */
function textsOf(fields: Fields): [string, string][] {
  return Object.entries(fields)
    .filter((pair): pair is [string, TextValue] => pair[1] !== undefined && !(pair[1] instanceof File))
    .map(([name, value]) => [name, String(value)]);
}

function filesOf(fields: Fields): [string, File][] {
  return Object.entries(fields).filter((pair): pair is [string, File] => pair[1] instanceof File);
}

/** The first file of a request; no operation takes two. */
export function fileIn(fields: Fields): File | undefined {
  return filesOf(fields)[0]?.[1];
}

/** The path of an operation below the origin. Without a format, the server streams what it can stream. */
export function pathOf(address: Address): string {
  return SERVER.root + address;
}

/** The path of a resource with its fields and its format, JSON by default. */
export function addressOf(address: Address, fields: Fields = {}): string {
  return `${pathOf(address)}?${new URLSearchParams(textsOf({ f: 'json', ...fields })).toString()}`;
}

export function bodyOf(fields: Fields): URLSearchParams | FormData {
  const [texts, files] = [textsOf(fields), filesOf(fields)];
  if (files.length === 0) return new URLSearchParams(texts);
  const form = new FormData();
  // The texts come first: the server reads the fields in their order, and files last.
  for (const [name, value] of [...texts, ...files]) form.append(name, value);
  return form;
}

/** The failure that an answer describes. After the end of the session it speaks of tokens, which a person does not know. */
function failureOf(status: number, body: unknown, file?: File): ApiFailure {
  if (SIGNED_OUT.has(status)) return new ApiFailure(status, 'Your session had ended. Nothing was done; try it again.');
  const error = errorIn(body);
  return new ApiFailure(status, error?.message ?? proxyText(status, file), error?.details);
}

/** Returns the answer, or throws the failure that it describes. */
async function answerOf(status: number, body: unknown, file?: File): Promise<unknown> {
  if (status === 200 && body !== undefined) return body;
  throw failureOf(status, body, file);
}

async function bodyIn(response: Response): Promise<unknown> {
  return response.json().catch(() => undefined);
}

const ANSWER_WITHIN_MS = 3000;

/** Asks Steward once whether it can be used. A page without a session asks what needs none. */
async function probe(): Promise<Outage | undefined> {
  const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
  const address = addressOf(csrfToken === '' ? api.access.session : api.system.mode);
  const response = await fetch(address, { signal, cache: 'no-store' }).catch(() => undefined);
  if (response === undefined) return { kind: navigator.onLine ? 'noAnswer' : 'offline' };
  if (response.status < 500) return undefined;
  const message = errorIn(await bodyIn(response))?.message;
  return message === undefined ? { kind: 'proxy', status: response.status } : { kind: 'unavailable', message };
}

/** Whether Steward answers. All requests of the console report to it. */
export const connection = createConnection(probe);

/** The failure of a read that was not answered. */
export function noAnswer(): ApiFailure {
  return new ApiFailure(
    0,
    navigator.onLine ? 'The server does not answer.' : 'Steward cannot be reached, because this browser is offline.',
  );
}

/** Reads, and tells the connection whether Steward has answered, also when it does not do so for long. */
async function readFrom(address: string, init: RequestInit): Promise<unknown> {
  const sent = Date.now();
  const late = setTimeout(() => connection.doubt(), ANSWER_WITHIN_MS);
  let response: Response;
  try {
    response = await fetch(address, { credentials: 'same-origin', ...init });
  } catch (error) {
    if (init.signal?.aborted === true) throw error;
    connection.doubt();
    throw noAnswer();
  } finally {
    clearTimeout(late);
  }
  learnTime(response.headers, sent);
  if (response.status >= 500) connection.doubt();
  return answerOf(response.status, await bodyIn(response));
}

/** Reads a resource. */
export function get<S extends Reading>(
  address: Address<S>,
  fields: SentFields<S, File>,
  signal?: AbortSignal,
): Promise<Answer<S>>;
export function get(address: Address, fields: Fields, signal?: AbortSignal): Promise<unknown> {
  return readFrom(addressOf(address, fields), signal === undefined ? {} : { signal });
}

/** The headers that a write must have. */
export function writeHeaders(): Readonly<Record<string, string>> {
  return { 'x-csrf-token': csrfToken };
}

function formRequest(fields: Fields): RequestInit {
  return { method: 'POST', headers: writeHeaders(), body: bodyOf({ f: 'json', ...fields }) };
}

/** Reads with a form: an operation that changes nothing, and whose fields are too long for an address. */
export function ask<S extends Sending>(address: Address<S>, fields: SentFields<S, File>): Promise<Answer<S>>;
export function ask(address: Address, fields: Fields): Promise<unknown> {
  return readFrom(pathOf(address), formRequest(fields));
}

/** Whether Steward can be used now. */
export async function doesAnswer(): Promise<boolean> {
  return (await probe()) === undefined;
}

/**
 * Refuses a change that cannot be sent now. It is not kept to be sent later: the page may have changed by then. A browser that says
 * it is offline may still reach a server on its own machine, so the server is asked.
 */
export async function refuseUnreachable(): Promise<void> {
  if (navigator.onLine || (await doesAnswer())) return;
  throw new ApiFailure(
    0,
    'Steward cannot be reached, because this browser is offline. Nothing was sent. Try again when you are online.',
  );
}

/** The answer to a change. A proxy may answer although the change has reached Steward, and an answer may be cut off. */
export async function changeAnswerOf(status: number, body: unknown, file?: File): Promise<unknown> {
  const isOwn = body !== undefined && (status === 200 || errorIn(body) !== undefined);
  if (isOwn || (status >= 400 && status < 500)) return answerOf(status, body, file);
  throw new UncertainFailure(status, status === 200 ? 'The answer was cut off.' : proxyText(status));
}

/** The failure of a change that was sent and not answered. */
export function lostAnswer(): UncertainFailure {
  connection.doubt();
  return new UncertainFailure(0, 'Steward did not answer.');
}

/** The fields of an operation; undefined is for none. */
export type GivenFields<S extends Signature> = IfRequires<S, SentFields<S, File>, SentFields<S, File> | undefined>;

/** Carries out an operation, now or not at all. */
export function post<S extends Sending>(address: Address<S>, fields: GivenFields<S>): Promise<Answer<S>>;
export async function post(address: Address, fields: Fields = {}): Promise<unknown> {
  await refuseUnreachable();
  const request = fetch(pathOf(address), { credentials: 'same-origin', ...formRequest(fields) });
  const response = await request.catch(() => {
    throw lostAnswer();
  });
  if (response.status >= 500) connection.doubt();
  return changeAnswerOf(response.status, await bodyIn(response), fileIn(fields));
}

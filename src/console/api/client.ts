// Requests to the public API, as the signed-in user: the browser sends the session cookie, and writes carry the CSRF token.
import { SERVER } from '../app/server.ts';

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

export type FieldValue = string | number | boolean | File | undefined;
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

/** The address of a resource below the root of the interface. */
export function addressOf(path: string, fields: Fields = {}): string {
  return `${SERVER.root}${path}?${new URLSearchParams(textsOf({ f: 'json', ...fields })).toString()}`;
}

export function bodyOf(fields: Fields): URLSearchParams | FormData {
  const [texts, files] = [textsOf(fields), filesOf(fields)];
  if (files.length === 0) return new URLSearchParams(texts);
  const form = new FormData();
  // The texts come first: the server reads the fields in their order, and files last.
  for (const [name, value] of [...texts, ...files]) form.append(name, value);
  return form;
}

interface ErrorBody {
  readonly error?: { readonly code?: number; readonly message?: string; readonly details?: readonly string[] };
}

function errorIn(body: unknown): ErrorBody['error'] {
  return ((body ?? {}) as ErrorBody).error;
}

/** The failure that an answer describes. After the end of the session it speaks of tokens, which a person does not know. */
function failureOf(status: number, body: unknown): ApiFailure {
  if (SIGNED_OUT.has(status)) return new ApiFailure(status, 'Your session had ended. Nothing was done; try it again.');
  const error = errorIn(body);
  return new ApiFailure(status, error?.message ?? `The server answered ${status}.`, error?.details);
}

/** Returns the answer, or throws the failure that it describes. */
async function answerOf<T>(status: number, body: unknown): Promise<T> {
  if (status === 200 && body !== undefined) return body as T;
  throw failureOf(status, body);
}

async function bodyIn(response: Response): Promise<unknown> {
  return response.json().catch(() => undefined);
}

/** The failure of a read that was not answered. */
export function noAnswer(): ApiFailure {
  return new ApiFailure(
    0,
    navigator.onLine ? 'The server does not answer.' : 'Steward cannot be reached, because this browser is offline.',
  );
}

async function readFrom<T>(address: string, init: RequestInit): Promise<T> {
  let response: Response;
  try {
    response = await fetch(address, { credentials: 'same-origin', ...init });
  } catch (error) {
    if (init.signal?.aborted === true) throw error;
    throw noAnswer();
  }
  return answerOf<T>(response.status, await bodyIn(response));
}

/** Reads a resource. */
export function get<T>(path: string, fields: Fields = {}, signal?: AbortSignal): Promise<T> {
  return readFrom<T>(addressOf(path, fields), signal === undefined ? {} : { signal });
}

/** The headers that a write must have. */
export function writeHeaders(): Readonly<Record<string, string>> {
  return { 'x-csrf-token': csrfToken };
}

function formRequest(fields: Fields): RequestInit {
  return { method: 'POST', headers: writeHeaders(), body: bodyOf({ f: 'json', ...fields }) };
}

/** Reads with a form: an operation that changes nothing, and whose fields are too long for an address. */
export function ask<T>(path: string, fields: Fields = {}): Promise<T> {
  return readFrom<T>(`${SERVER.root}${path}`, formRequest(fields));
}

const REACH_WITHIN_MS = 3000;

/** Asks the server whether it answers, whatever it answers. */
export async function doesAnswer(): Promise<boolean> {
  const signal = AbortSignal.timeout(REACH_WITHIN_MS);
  return fetch(addressOf('/session'), { signal }).then(
    () => true,
    () => false,
  );
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
export async function changeAnswerOf<T>(status: number, body: unknown): Promise<T> {
  const isOwn = body !== undefined && (status === 200 || errorIn(body) !== undefined);
  if (isOwn || (status >= 400 && status < 500)) return answerOf<T>(status, body);
  throw new UncertainFailure(status, status === 200 ? 'The answer was cut off.' : `A proxy answered ${status}.`);
}

/** Carries out an operation, now or not at all. */
export async function post<T>(path: string, fields: Fields = {}): Promise<T> {
  await refuseUnreachable();
  const request = fetch(`${SERVER.root}${path}`, { credentials: 'same-origin', ...formRequest(fields) });
  const response = await request.catch(() => {
    throw new UncertainFailure(0, 'Steward did not answer.');
  });
  return changeAnswerOf<T>(response.status, await bodyIn(response));
}

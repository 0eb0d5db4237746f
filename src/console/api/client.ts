// Requests to the public API, as the signed-in user: the browser sends the session cookie, and writes carry the CSRF token.
import { SERVER } from '../app/server.ts';

/** A request that was refused or not answered. Its message is the server's own. */
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

/** The failure that an answer describes. After the end of the session it speaks of tokens, which a person does not know. */
function failureOf(status: number, body: unknown): ApiFailure {
  if (SIGNED_OUT.has(status)) return new ApiFailure(status, 'Your session had ended. Nothing was done; try it again.');
  const { error } = (body ?? {}) as ErrorBody;
  return new ApiFailure(status, error?.message ?? `The server answered ${status}.`, error?.details);
}

/** Returns the answer, or throws the failure that it describes. */
export async function answerOf<T>(status: number, body: unknown): Promise<T> {
  if (status === 200 && body !== undefined) return body as T;
  throw failureOf(status, body);
}

async function read<T>(response: Response): Promise<T> {
  const body: unknown = await response.json().catch(() => undefined);
  return answerOf<T>(response.status, body);
}

async function send<T>(address: string, init: RequestInit): Promise<T> {
  let response: Response;
  try {
    response = await fetch(address, { credentials: 'same-origin', ...init });
  } catch (error) {
    if (init.signal?.aborted === true) throw error;
    throw new ApiFailure(0, 'The server does not answer.');
  }
  return read<T>(response);
}

/** Reads a resource. */
export function get<T>(path: string, fields: Fields = {}, signal?: AbortSignal): Promise<T> {
  return send<T>(addressOf(path, fields), signal === undefined ? {} : { signal });
}

/** The headers that a write must have. */
export function writeHeaders(): Readonly<Record<string, string>> {
  return { 'x-csrf-token': csrfToken };
}

/** Carries out an operation. */
export function post<T>(path: string, fields: Fields = {}): Promise<T> {
  const headers = writeHeaders();
  return send<T>(`${SERVER.root}${path}`, { method: 'POST', headers, body: bodyOf({ f: 'json', ...fields }) });
}

import { parse } from 'cookie';
import type { FastifyRequest } from 'fastify';
import { StewardError, invalidField } from '../../../foundation/errors.ts';
import type { Form } from './form.ts';
import { notText } from './form.ts';

export interface CookieScope {
  readonly isSecure: boolean;
  readonly prefix: string;
  /** The id of the installation. */
  readonly installation: string;
}

/**
 * Returns the name of the session's cookie. Its first part keeps other hosts, and pages without TLS, from setting it. `__Host-` is
 * only for the path `/`. Below a path the cookie is limited to it, so that other servers of the host do not get it. Its last part is
 * the same on all replicas, and different in two installations: browsers send cookies to every port of a host.
 */
export function sessionCookie({ isSecure, prefix, installation }: CookieScope): string {
  const name = `steward_session_${installation.slice(-8)}`;
  if (!isSecure) return name;
  return `${prefix === '' ? '__Host-' : '__Secure-'}${name}`;
}

export interface Credential {
  readonly secret: string;
  readonly isCookie: boolean;
}

type RequestHead = Pick<FastifyRequest, 'headers' | 'method'>;

const BEARER = /^Bearer(?: +(.*))?$/i;
const SECRET = /^[\w.~+/=-]+$/;

function invalidToken(problem: string): StewardError {
  return new StewardError('tokenInvalid', 'Invalid token.', { details: [problem] });
}

/** A Bearer header that cannot be a token is an error: ignoring it would make the caller anonymous. */
function bearerOf(request: RequestHead): string | undefined {
  const { authorization } = request.headers;
  const secret = authorization === undefined ? undefined : BEARER.exec(authorization)?.[1]?.trim();
  if (secret === undefined || secret === '') return undefined;
  if (!SECRET.test(secret)) throw invalidToken('Authorization: must have exactly one token after Bearer');
  return secret;
}

function tokenIn({ token }: Form): string | undefined {
  if (token === undefined || token === '') return undefined;
  if (typeof token !== 'string') throw invalidField('token', notText(token));
  return token;
}

/**
 * Finds the token of a request with a form: form field, Bearer, query, cookie, in this order. The query of a POST counts
 * only for clients of the compat interface. Under https only the cookie with the prefix counts, because any other could
 * have been set by a page without TLS.
 */
export function findCredential(
  request: RequestHead,
  body: Form,
  query: Form,
  { isCompat, cookie: nameOfCookie }: { readonly isCompat: boolean; readonly cookie: () => string },
): Credential | undefined {
  const isQueryRead = isCompat || request.method !== 'POST';
  const secret = tokenIn(body) ?? bearerOf(request) ?? (isQueryRead ? tokenIn(query) : undefined);
  if (secret !== undefined) return { secret, isCookie: false };
  if (request.headers.cookie === undefined) return undefined;
  const cookie = parse(request.headers.cookie)[nameOfCookie()];
  return cookie === undefined || cookie === '' ? undefined : { secret: cookie, isCookie: true };
}

/** Finds the token of a SOAP request: query, Bearer, password of a UsernameToken, in this order. */
export function findSoapCredential(
  request: RequestHead,
  { token }: Form,
  password: string | undefined,
): Credential | undefined {
  if (token !== undefined && typeof token !== 'string') throw invalidToken(`token: ${notText(token)}`);
  const secret = (token === '' ? undefined : token) ?? bearerOf(request) ?? password;
  return secret === undefined || secret === '' ? undefined : { secret, isCookie: false };
}

export function tokenMissing(request: RequestHead, query: Form): StewardError {
  const hint =
    request.method === 'POST' && query['token'] !== undefined
      ? 'token: with POST, send it as a form field or as an Authorization: Bearer header, not in the query'
      : 'token: send it as a form field or as an Authorization: Bearer header; generateToken issues one';
  return new StewardError('tokenMissing', 'Token required.', { details: [hint] });
}

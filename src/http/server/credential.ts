import { parse } from 'cookie';
import type { FastifyRequest } from 'fastify';
import { StewardError, invalidField } from '../../foundation/errors.ts';
import type { Form } from './form.ts';

export const SESSION_COOKIE = 'steward_session';

export interface Credential {
  readonly secret: string;
  readonly isCookie: boolean;
}

const BEARER = /^Bearer +([\w.~+/=-]+) *$/i;

export function bearerOf(request: FastifyRequest): string | undefined {
  const { authorization } = request.headers;
  return authorization === undefined ? undefined : BEARER.exec(authorization)?.[1];
}

/** The token of a request: form field, Bearer, query (by GET), cookie, in this order. */
export function findCredential(request: FastifyRequest, body: Form, query: Form): Credential | undefined {
  const fromBody = body['token'];
  if (typeof fromBody === 'string' && fromBody !== '') return { secret: fromBody, isCookie: false };
  if (fromBody !== undefined && fromBody !== '') throw sentTwice();
  const bearer = bearerOf(request);
  if (bearer !== undefined) return { secret: bearer, isCookie: false };
  const fromQuery = request.method === 'POST' ? undefined : query['token'];
  if (typeof fromQuery === 'string' && fromQuery !== '') return { secret: fromQuery, isCookie: false };
  if (fromQuery !== undefined && fromQuery !== '') throw sentTwice();
  if (request.headers.cookie === undefined) return undefined;
  const cookie = parse(request.headers.cookie)[SESSION_COOKIE];
  return cookie === undefined || cookie === '' ? undefined : { secret: cookie, isCookie: true };
}

function sentTwice(): StewardError {
  return invalidField('token', 'was sent more than once');
}

export function tokenMissing(request: FastifyRequest, query: Form): StewardError {
  const hint =
    request.method === 'POST' && query['token'] !== undefined
      ? 'token: by POST it is taken from the form or from an Authorization: Bearer header, not from the query'
      : 'token: send it as a form field or as an Authorization: Bearer header; generateToken issues one';
  return new StewardError('tokenMissing', 'Token required.', { details: [hint] });
}

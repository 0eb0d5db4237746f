import type { FastifyReply, FastifyRequest } from 'fastify';
import { invalidField } from '../foundation/errors.ts';
import type { Form } from './form.ts';
import { field } from './form.ts';
import { page } from './page.ts';

export type Format = 'json' | 'pjson' | 'html';

const FORMATS: readonly string[] = ['json', 'pjson', 'html'] satisfies readonly Format[];

function prefersPage(request: FastifyRequest): boolean {
  const accept = request.headers.accept;
  if (accept === undefined || !accept.includes('text/html')) return false;
  const json = accept.indexOf('application/json');
  return json === -1 || accept.indexOf('text/html') < json;
}

export function formatOf(request: FastifyRequest, body: Form, query: Form): Format {
  const asked = field(body, query, 'f');
  if (asked === undefined) return prefersPage(request) ? 'html' : 'json';
  if (typeof asked === 'string' && FORMATS.includes(asked)) return asked as Format;
  throw invalidField('f', typeof asked === 'string' ? 'must be one of json, pjson, html' : 'was sent more than once');
}

/** The format for an error, which must be found even where the request makes no sense. */
export function formatOfError(request: FastifyRequest, body: Form, query: Form): Format {
  try {
    return formatOf(request, body, query);
  } catch {
    return 'json';
  }
}

export function send(reply: FastifyReply, format: Format, body: object, title: string): FastifyReply {
  if (format === 'html') {
    reply.header(
      'content-security-policy',
      "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    );
    return reply.type('text/html; charset=utf-8').send(page(title, body));
  }
  const text = format === 'pjson' ? `${JSON.stringify(body, undefined, 2)}\n` : JSON.stringify(body);
  return reply.type('application/json; charset=utf-8').send(text);
}

import type { FastifyReply, FastifyRequest } from 'fastify';
import { choice, optional } from '../../wire/operations/fields.ts';
import type { Form } from './form.ts';
import { field } from './form.ts';
import type { Page } from '../pages/page.ts';
import { page } from '../pages/page.ts';

export type Format = 'json' | 'pjson' | 'html';

/** How much a header wants a type, from 0 to 1; what is not named is not wanted. */
function wishFor(type: string, accept: string): number {
  const wish = accept.split(',').find((one) => one.trim().split(';', 1)[0]?.trim().toLowerCase() === type);
  if (wish === undefined) return 0;
  const quality = /;\s*q=([\d.]+)/i.exec(wish)?.[1];
  return quality === undefined ? 1 : Number(quality);
}

function prefersPage(request: FastifyRequest): boolean {
  const { accept } = request.headers;
  if (accept === undefined || !accept.includes('html')) return false;
  const [html, json] = [wishFor('text/html', accept), wishFor('application/json', accept)];
  return html > json || (html === json && accept.indexOf('text/html') < accept.indexOf('application/json'));
}

export const FORMAT_FIELD = optional(choice(['json', 'pjson', 'html']), 'The format of the answer.');

const NO_PROBLEMS: readonly string[] = [];

export function formatProblems(body: Form, query: Form): readonly string[] {
  const asked = field(body, query, 'f');
  if (asked === undefined || asked === 'json' || asked === 'pjson' || asked === 'html') return NO_PROBLEMS;
  return [`f: ${typeof asked === 'string' ? 'must be one of json, pjson, html' : 'was sent more than once'}`];
}

/** Where `f` makes no sense the answer is an error, and that needs a format too. */
export function formatOf(request: FastifyRequest, body: Form, query: Form): Format {
  const asked = field(body, query, 'f');
  if (asked === undefined) return prefersPage(request) ? 'html' : 'json';
  return asked === 'pjson' || asked === 'html' ? asked : 'json';
}

const PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

export function send(reply: FastifyReply, format: Format, answer: Page): FastifyReply {
  if (format === 'html') {
    return reply.header('content-security-policy', PAGE_POLICY).type('text/html; charset=utf-8').send(page(answer));
  }
  const text = format === 'pjson' ? `${JSON.stringify(answer.body, undefined, 2)}\n` : JSON.stringify(answer.body);
  return reply.type('application/json; charset=utf-8').send(text);
}

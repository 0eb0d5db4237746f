import type { FastifyRequest } from 'fastify';
import { choice, optional } from '../../../wire/fields/fields.ts';
import type { Form } from './form.ts';
import { field, notText } from './form.ts';

export type Format = 'json' | 'pjson' | 'html';

/** Returns the quality of a media type in an Accept header, from 0 to 1. Wildcards do not count. */
function qualityOf(type: string, accept: string): number {
  const range = accept.split(',').find((one) => one.trim().split(';', 1)[0]?.trim().toLowerCase() === type);
  if (range === undefined) return 0;
  const quality = /;\s*q=([\d.]+)/i.exec(range)?.[1];
  return quality === undefined ? 1 : Number(quality);
}

function prefersPage(accept: string | undefined): boolean {
  if (accept === undefined || !accept.includes('html')) return false;
  const [html, json] = [qualityOf('text/html', accept), qualityOf('application/json', accept)];
  return html > json || (html === json && accept.indexOf('text/html') < accept.indexOf('application/json'));
}

export const FORMAT_FIELD = optional(choice(['json', 'pjson', 'html']), 'The format of the answer.');

const NO_PROBLEMS: readonly string[] = [];

export function formatProblems(body: Form, query: Form): readonly string[] {
  const asked = field(body, query, 'f');
  if (asked === undefined || asked === 'json' || asked === 'pjson' || asked === 'html') return NO_PROBLEMS;
  return [
    `f: ${typeof asked === 'string' ? `must be one of json, pjson, html, not ${JSON.stringify(asked.slice(0, 80))}` : notText(asked)}`,
  ];
}

/** The field `f` decides, then the Accept header. An invalid `f` is an error, which is sent as JSON. */
export function formatOf(request: Pick<FastifyRequest, 'headers'>, body: Form, query: Form): Format {
  const asked = field(body, query, 'f');
  if (asked === undefined) return prefersPage(request.headers.accept) ? 'html' : 'json';
  return asked === 'pjson' || asked === 'html' ? asked : 'json';
}

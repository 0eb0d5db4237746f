import { isUtf8 } from 'node:buffer';
import { parse } from 'fast-querystring';
import type { FastifyRequest } from 'fastify';
import { StewardError } from '../foundation/errors.ts';
import type { Fields, Values } from '../wire/fields.ts';

export const FORM_LIMIT = 1024 * 1024;
const PARTS_LIMIT = 200;

/** Fields by name; a list where one was sent more than once. */
export type Form = Readonly<Record<string, string | readonly string[]>>;

const NOTHING: Form = Object.freeze(Object.create(null) as Record<string, string>);

function countFields(encoded: string): number {
  let count = 1;
  for (let at = encoded.indexOf('&'); at !== -1 && count <= PARTS_LIMIT; at = encoded.indexOf('&', at + 1)) count += 1;
  return count;
}

/** For the router, which does not survive an error here; the size of a query is bounded by that of the head. */
export function parseQuery(query: string): Record<string, unknown> {
  return parse(query);
}

export function parseEncodedBody(body: Buffer): Form {
  if (!isUtf8(body)) throw new StewardError('invalid', 'The body is not valid UTF-8.');
  const encoded = body.toString();
  if (countFields(encoded) > PARTS_LIMIT)
    throw new StewardError('tooLarge', `A body has at most ${PARTS_LIMIT} fields.`);
  return parse(encoded) as Form;
}

/** Every part is read as its text, whether it was sent as a field or as a file. */
async function readMultipart(request: FastifyRequest): Promise<Form> {
  const form: Record<string, string | string[]> = Object.create(null);
  let size = 0;
  const parts = request.parts({
    isPartAFile: () => true,
    limits: { parts: PARTS_LIMIT, files: PARTS_LIMIT, fileSize: FORM_LIMIT, headerPairs: 50, fieldNameSize: 200 },
  });
  for await (const part of parts) {
    if (part.type !== 'file') continue;
    const content = await part.toBuffer();
    size += content.length + part.fieldname.length;
    if (size > FORM_LIMIT) throw new StewardError('tooLarge', 'A form has at most 1 MiB.');
    if (!isUtf8(content))
      throw new StewardError('invalid', 'The request has an invalid field.', {
        details: [`${part.fieldname}: must be valid UTF-8`],
      });
    const before = form[part.fieldname];
    const text = content.toString();
    form[part.fieldname] = before === undefined ? text : [...(typeof before === 'string' ? [before] : before), text];
  }
  return form;
}

export async function readBody(request: FastifyRequest): Promise<Form> {
  if (request.isMultipart()) return readMultipart(request);
  return (request.body as Form | undefined | null) ?? NOTHING;
}

/** Undefined when it is absent or empty, and a list when it was sent twice. */
function sent(form: Form, name: string): string | readonly string[] | undefined {
  const value = form[name];
  return value === '' ? undefined : value;
}

/** The body wins over the query. */
export function field(body: Form, query: Form, name: string): string | readonly string[] | undefined {
  return sent(body, name) ?? sent(query, name);
}

/** Reads every field of a row and names every problem at once. */
export function readFields<F extends Fields>(fields: F, body: Form, query: Form): Values<F> {
  const values: Record<string, unknown> = {};
  const problems: string[] = [];
  for (const name of Object.keys(fields)) {
    const row = fields[name];
    if (row === undefined) continue;
    const given = field(body, query, name);
    if (given === undefined) {
      if (row.needed) problems.push(`${name}: is needed. ${row.about}`);
      continue;
    }
    const read = typeof given === 'string' ? row.reader.read(given) : { problem: 'was sent more than once' };
    if ('problem' in read) problems.push(`${name}: ${read.problem}`);
    else values[name] = read.value;
  }
  if (problems.length > 0) {
    throw new StewardError(
      'invalid',
      problems.length === 1 ? 'The request has an invalid field.' : 'The request has invalid fields.',
      {
        details: problems,
      },
    );
  }
  return values as Values<F>;
}

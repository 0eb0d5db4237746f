import { isUtf8 } from 'node:buffer';
import { parse } from 'fast-querystring';
import type { FastifyRequest } from 'fastify';
import { StewardError } from '../../foundation/errors.ts';
import type { Fields, Read, Reader, SentFile, Values } from '../../wire/operations/fields.ts';

export const FORM_LIMIT = 1024 * 1024;
export const FIELDS_LIMIT = 200;

/** Fields by name; a list where one was sent more than once. */
export type Form = Readonly<Record<string, string | readonly string[]>>;

/** Of the fields that take a file as it is. */
export type Files = ReadonlyMap<string, SentFile>;

export const NO_FILES: Files = new Map();

export const NOTHING: Form = Object.freeze(Object.create(null) as Record<string, string>);

export function tooManyFields(): StewardError {
  return new StewardError('tooLarge', `A body has at most ${FIELDS_LIMIT} fields.`);
}

function countFields(encoded: string): number {
  let count = 1;
  for (let at = encoded.indexOf('&'); at !== -1 && count <= FIELDS_LIMIT; at = encoded.indexOf('&', at + 1)) count += 1;
  return count;
}

/** For the router, which does not survive an error here; the size of a query is bounded by that of the head. */
export function parseQuery(query: string): Record<string, unknown> {
  return parse(query);
}

function isDecodable(encoded: string): boolean {
  try {
    decodeURIComponent(encoded);
    return true;
  } catch {
    return false;
  }
}

export function parseEncodedBody(body: Buffer): Form {
  if (!isUtf8(body)) throw new StewardError('invalid', 'The body is not valid UTF-8.');
  const encoded = body.toString();
  if (countFields(encoded) > FIELDS_LIMIT) throw tooManyFields();
  if (encoded.includes('%') && !isDecodable(encoded)) {
    throw new StewardError(
      'invalid',
      'The body is not valid percent-encoding of UTF-8; a percent sign itself is written %25.',
    );
  }
  return parse(encoded) as Form;
}

export function bodyOf(request: FastifyRequest): Form {
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

function readOne<T>(
  reader: Reader<T>,
  given: string | readonly string[] | undefined,
  sentFile: SentFile | undefined,
): Read<T> {
  if (sentFile !== undefined && given === undefined && reader.readFile !== undefined) return reader.readFile(sentFile);
  return typeof given === 'string' ? reader.read(given) : { problem: 'was sent more than once' };
}

/** An empty file counts as none where none is needed. */
function sentFileOf(files: Files, name: string, isNeeded: boolean): SentFile | undefined {
  const found = files.get(name);
  return found?.bytes.length === 0 && !isNeeded ? undefined : found;
}

/** Reads every field of a row and names every problem at once, together with those that are known already. */
export function readFields<F extends Fields>(
  fields: F,
  body: Form,
  query: Form,
  files: Files,
  also: readonly string[] = [],
): Values<F> {
  const values: Record<string, unknown> = {};
  const problems: string[] = [];
  for (const name of Object.keys(fields)) {
    const row = fields[name];
    if (row === undefined) continue;
    const sentFile = sentFileOf(files, name, row.needed);
    const given = field(body, query, name);
    if (given === undefined && sentFile === undefined) {
      if (row.needed) problems.push(`${name}: is needed. ${row.about}`);
      continue;
    }
    const read = readOne(row.reader, given, sentFile);
    if ('problem' in read) problems.push(`${name}: ${read.problem}`);
    else values[name] = read.value;
  }
  problems.push(...also);
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

// Reads multipart forms. Small forms are open to all; a body above the limit of a form is read on only if it carries a valid
// token, so that strangers cannot make the server hold large bodies in memory.
import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy } from '@fastify/busboy';
import { StewardError, invalidField } from '../../../foundation/errors.ts';
import type { SentFile } from '../../../wire/operations/fields.ts';
import type { Files, Form } from './form.ts';
import { tooManyFields } from './form.ts';
import { LIMITS } from '../limits.ts';

interface Part {
  readonly name: string;
  readonly fileName: string;
  readonly contentType: string;
  readonly chunks: Buffer[];
}

export interface MultipartOptions {
  /** The fields that take a file. If there are none, the limit of a form applies. */
  readonly fileFields: ReadonlySet<string>;
  /** Tells whether the head or this token is valid. Before that, no caller may send more than a form. */
  readonly isAuthentic: (token: string | undefined) => Promise<boolean>;
}

function tooLarge(limit: number): StewardError {
  const size = limit === LIMITS.form ? '1 MiB' : '16 MiB';
  return new StewardError('tooLarge', `The body is larger than ${size}.`);
}

function tokenFirst(): StewardError {
  return new StewardError('tooLarge', 'The body is larger than 1 MiB, and no valid token has come yet.', {
    details: ['token: send it as an Authorization: Bearer header, or as a field before the file'],
  });
}

function openParser(headers: IncomingHttpHeaders): InstanceType<typeof Busboy> {
  try {
    return new Busboy({
      headers: { ...headers, 'content-type': headers['content-type'] ?? '' },
      // Every part is read as bytes, whether it was sent as a field or as a file.
      isPartAFile: () => true,
      limits: { parts: LIMITS.fields, headerPairs: 50, fileSize: LIMITS.upload },
    });
  } catch (error) {
    throw new StewardError('invalid', 'The Content-Type of a multipart body must name its boundary.', { cause: error });
  }
}

/** Gathers the parts that the parser finds. A part is complete when the parser finishes. */
function gatherParts(parser: InstanceType<typeof Busboy>, onDamage: (cause: unknown) => void): readonly Part[] {
  const parts: Part[] = [];
  parser.on(
    'file',
    (name: string, stream: Readable, fileName: string | undefined, _encoding: string, contentType: string) => {
      const part: Part = { name, fileName: fileName ?? '', contentType, chunks: [] };
      parts.push(part);
      stream.on('error', onDamage);
      stream.on('data', (chunk: Buffer) => {
        part.chunks.push(chunk);
      });
    },
  );
  return parts;
}

/** Parses a body while it arrives, and stops reading at the limit. */
function receiveParts(
  headers: IncomingHttpHeaders,
  body: Readable,
  { isAuthentic }: MultipartOptions,
  limit: number,
): Promise<readonly Part[]> {
  const parser = openParser(headers);
  let [size, isChecked] = [0, false];
  return new Promise((resolve, reject) => {
    const fail = (error: StewardError): void => {
      body.unpipe(parser);
      body.resume();
      reject(error);
    };
    const damaged = (cause?: unknown): void =>
      fail(new StewardError('invalid', 'The multipart body is damaged or cut short.', { cause }));
    const parts = gatherParts(parser, damaged);
    const checkToken = async (): Promise<void> => {
      body.unpipe(parser);
      // The parser reports the parts that it has received a moment later.
      await new Promise((resolved) => setImmediate(resolved));
      const token = parts.find(({ name }) => name === 'token');
      if (!(await isAuthentic(token && Buffer.concat(token.chunks).toString()))) return fail(tokenFirst());
      body.pipe(parser);
    };
    parser.on('partsLimit', () => fail(tooManyFields()));
    parser.on('error', damaged);
    parser.on('finish', () => resolve(parts));
    body.on('error', damaged);
    // All bytes count, also those between the parts.
    body.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) fail(tooLarge(limit));
      else if (size > LIMITS.form && !isChecked) {
        isChecked = true;
        checkToken().catch(damaged);
      }
    });
    // If the head of a part never ends, the parser waits for more although the body has ended.
    body.on('end', () => setImmediate(damaged));
    body.pipe(parser);
  });
}

/** Reads a multipart body: files of the fields that take one, and the text of every other part. */
export async function readMultipart(
  headers: IncomingHttpHeaders,
  body: Readable,
  options: MultipartOptions,
): Promise<{ readonly form: Form; readonly files: Files }> {
  const limit = options.fileFields.size === 0 ? LIMITS.form : LIMITS.upload;
  if (Number(headers['content-length'] ?? 0) > limit) throw tooLarge(limit);
  const form: Record<string, string | string[]> = Object.create(null);
  const files = new Map<string, SentFile>();
  for (const part of await receiveParts(headers, body, options, limit)) {
    const { name, fileName, contentType } = part;
    const content = Buffer.concat(part.chunks);
    if (options.fileFields.has(name)) {
      // A browser sends an empty part for a file that was not chosen.
      if (content.length === 0 && fileName === '') continue;
      if (files.has(name)) throw invalidField(name, 'was sent more than once');
      files.set(name, { name: fileName === '' ? name : fileName, contentType, bytes: content });
      continue;
    }
    if (!isUtf8(content)) throw invalidField(name, 'must be valid UTF-8');
    const before = form[name];
    form[name] = before === undefined ? content.toString() : [before, content.toString()].flat();
  }
  return { form, files };
}

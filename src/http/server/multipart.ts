import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy } from '@fastify/busboy';
import { StewardError, invalidField } from '../../foundation/errors.ts';
import type { SentFile } from '../../wire/operations/fields.ts';
import type { Files, Form } from './form.ts';
import { FIELDS_LIMIT, FORM_LIMIT, tooManyFields } from './form.ts';

interface Part {
  readonly name: string;
  readonly fileName: string;
  readonly contentType: string;
  readonly chunks: Buffer[];
}

export interface MultipartNeeds {
  /** The fields that take a file as it is. Where there are none, a body has at most 1 MiB. */
  readonly fileFields: ReadonlySet<string>;
  /** Whether the parts so far, or the head, carry a valid token: before that no more than 1 MiB is taken from anyone. */
  readonly isKnown: (token: string | undefined) => Promise<boolean>;
}

/** The largest file, and as much as any form beside it. */
const UPLOAD_LIMIT = 17 * FORM_LIMIT;

function tooLarge(limit: number): StewardError {
  const size = limit === FORM_LIMIT ? '1 MiB' : '16 MiB';
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
      // Every part is a stream of bytes, whether it was sent as a field or as a file.
      isPartAFile: () => true,
      limits: { parts: FIELDS_LIMIT, headerPairs: 50, fileSize: UPLOAD_LIMIT },
    });
  } catch (error) {
    throw new StewardError('invalid', 'The Content-Type of a multipart body must name its boundary.', { cause: error });
  }
}

const textOf = ({ chunks }: Part): string => Buffer.concat(chunks).toString();

/** The parts of a body as they come in, no more of them than the limit. */
function collect(headers: IncomingHttpHeaders, body: Readable, needs: MultipartNeeds): Promise<readonly Part[]> {
  const parser = openParser(headers);
  const parts: Part[] = [];
  const limit = needs.fileFields.size === 0 ? FORM_LIMIT : UPLOAD_LIMIT;
  let [size, isKnown] = [0, false];
  return new Promise((resolve, reject) => {
    const fail = (error: StewardError): void => {
      body.unpipe(parser);
      body.resume();
      reject(error);
    };
    const damaged = (cause?: unknown): void =>
      fail(new StewardError('invalid', 'The multipart body is damaged or cut short.', { cause }));
    const ask = async (): Promise<void> => {
      body.unpipe(parser);
      // What has come so far is with the parser; its parts are told of a moment later.
      await new Promise((resolved) => setImmediate(resolved));
      const token = parts.find(({ name }) => name === 'token');
      if (!(await needs.isKnown(token === undefined ? undefined : textOf(token)))) return fail(tokenFirst());
      body.pipe(parser);
    };
    parser.on(
      'file',
      (name: string, stream: Readable, fileName: string | undefined, _encoding: string, contentType: string) => {
        const part: Part = { name, fileName: fileName ?? '', contentType, chunks: [] };
        parts.push(part);
        stream.on('error', damaged);
        stream.on('data', (chunk: Buffer) => {
          part.chunks.push(chunk);
        });
      },
    );
    parser.on('partsLimit', () => fail(tooManyFields()));
    parser.on('error', damaged);
    parser.on('finish', () => resolve(parts));
    body.on('error', damaged);
    // All bytes count, also those around the parts.
    body.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) fail(tooLarge(limit));
      else if (size > FORM_LIMIT && !isKnown) {
        isKnown = true;
        ask().catch(damaged);
      }
    });
    // A part whose head never ends makes the parser wait for more, although there is none.
    body.on('end', () => setImmediate(damaged));
    body.pipe(parser);
  });
}

/** Every part as its text, but for the fields that take a file; a list where a name was sent more than once. */
export async function readMultipart(
  headers: IncomingHttpHeaders,
  body: Readable,
  needs: MultipartNeeds,
): Promise<{ readonly form: Form; readonly files: Files }> {
  const limit = needs.fileFields.size === 0 ? FORM_LIMIT : UPLOAD_LIMIT;
  if (Number(headers['content-length'] ?? 0) > limit) throw tooLarge(limit);
  const form: Record<string, string | string[]> = Object.create(null);
  const files = new Map<string, SentFile>();
  for (const part of await collect(headers, body, needs)) {
    const { name, fileName, contentType } = part;
    const content = Buffer.concat(part.chunks);
    if (needs.fileFields.has(name)) {
      // An empty part is the same as none; a second one is a mistake.
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

import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy } from '@fastify/busboy';
import { StewardError, invalidField } from '../foundation/errors.ts';
import type { Form } from './form.ts';
import { FIELDS_LIMIT, FORM_LIMIT, tooManyFields } from './form.ts';

interface Part {
  readonly name: string;
  readonly chunks: Buffer[];
}

function tooLarge(): StewardError {
  return new StewardError('tooLarge', 'The body is larger than 1 MiB.');
}

function openParser(headers: IncomingHttpHeaders): InstanceType<typeof Busboy> {
  try {
    return new Busboy({
      headers: { ...headers, 'content-type': headers['content-type'] ?? '' },
      // Every part is a stream of bytes, whether it was sent as a field or as a file.
      isPartAFile: () => true,
      limits: { parts: FIELDS_LIMIT, headerPairs: 50 },
    });
  } catch (error) {
    throw new StewardError('invalid', 'The Content-Type of a multipart body must name its boundary.', { cause: error });
  }
}

/** The parts of a body as they come in, at most 1 MiB of them. */
function collect(headers: IncomingHttpHeaders, body: Readable): Promise<readonly Part[]> {
  const parser = openParser(headers);
  const parts: Part[] = [];
  let size = 0;
  return new Promise((resolve, reject) => {
    const fail = (error: StewardError): void => {
      body.unpipe(parser);
      body.resume();
      reject(error);
    };
    const damaged = (cause?: unknown): void =>
      fail(new StewardError('invalid', 'The multipart body is damaged or cut short.', { cause }));
    parser.on('file', (name: string, stream: Readable) => {
      const part: Part = { name, chunks: [] };
      parts.push(part);
      stream.on('error', damaged);
      stream.on('data', (chunk: Buffer) => {
        part.chunks.push(chunk);
      });
    });
    parser.on('partsLimit', () => fail(tooManyFields()));
    parser.on('error', damaged);
    parser.on('finish', () => resolve(parts));
    body.on('error', damaged);
    // All bytes count, also those around the parts.
    body.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > FORM_LIMIT) fail(tooLarge());
    });
    // A part whose head never ends makes the parser wait for more, although there is none.
    body.on('end', () => setImmediate(damaged));
    body.pipe(parser);
  });
}

/** Every part as its text; a list where a name was sent more than once. */
export async function readMultipart(headers: IncomingHttpHeaders, body: Readable): Promise<Form> {
  if (Number(headers['content-length'] ?? 0) > FORM_LIMIT) throw tooLarge();
  const form: Record<string, string | string[]> = Object.create(null);
  for (const { name, chunks } of await collect(headers, body)) {
    const content = Buffer.concat(chunks);
    if (!isUtf8(content)) throw invalidField(name, 'must be valid UTF-8');
    const before = form[name];
    form[name] = before === undefined ? content.toString() : [before, content.toString()].flat();
  }
  return form;
}

// Reads multipart forms. Small forms are open to all; a body above the limit of a form is read on only if it carries a valid
// token, so that strangers cannot make the server hold large bodies in memory.
import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy } from '@fastify/busboy';
import { StewardError, invalidField } from '../../../foundation/errors.ts';
import type { SentFile } from '../../../wire/fields/fields.ts';
import type { Files, Form } from './form.ts';
import { tooManyFields } from './form.ts';
import { LIMITS } from '../limits.ts';
import type { ReceivedBody } from './bodyBudget.ts';
import { bodyTooLarge } from './receiveBody.ts';

interface Part {
  /** Undefined if the part has none. */
  readonly name: string | undefined;
  readonly fileName: string;
  readonly contentType: string;
  readonly chunks: Buffer[];
}

export interface MultipartOptions {
  /** The fields that take a file. If there are none, the limit of a form applies. */
  readonly fileFields: ReadonlySet<string>;
  /** Whether the head carried a valid token. Without one, no caller may send more than a form before its token. */
  readonly isTrusted: boolean;
  /** Begins to count the body. */
  readonly open: (onLate: (error: StewardError) => void) => ReceivedBody;
  readonly onComplete: (size: number) => void;
  /** Refuses the token of the form before any further part is read. Undefined if no role is needed. */
  readonly checkToken: ((token: string) => Promise<void>) | undefined;
}

function fileTooLarge(): StewardError {
  return new StewardError('tooLarge', 'The body is too large: a file may have at most 16 MiB.');
}

function tokenFirst(): StewardError {
  return new StewardError('tooLarge', 'The body is larger than 1 MiB, and no valid token was sent before the file.', {
    details: ['token: send it as an Authorization: Bearer header, or as a field before the file'],
  });
}

function openParser(headers: IncomingHttpHeaders): InstanceType<typeof Busboy> {
  try {
    return new Busboy({
      headers: { ...headers, 'content-type': headers['content-type'] ?? '' },
      // Every part is read as bytes, whether it was sent as a field or as a file.
      isPartAFile: () => true,
      limits: { parts: LIMITS.fields, headerPairs: 50, fileSize: LIMITS.file },
    });
  } catch (error) {
    throw new StewardError('invalid', 'The Content-Type of a multipart body must name its boundary.', { cause: error });
  }
}

type OnPart = (part: Part, stream: Readable) => void;

/** Gathers the parts that the parser finds. A part is complete when the parser finishes. */
function gatherParts(parser: InstanceType<typeof Busboy>, onPart: OnPart): readonly Part[] {
  const parts: Part[] = [];
  parser.on(
    'file',
    (
      name: string | undefined,
      stream: Readable,
      fileName: string | undefined,
      _encoding: string,
      contentType: string,
    ) => {
      const part: Part = { name, fileName: fileName ?? '', contentType, chunks: [] };
      parts.push(part);
      stream.on('data', (chunk: Buffer) => {
        part.chunks.push(chunk);
      });
      onPart(part, stream);
    },
  );
  return parts;
}

/** Parts of a chunk that are parsed before anyone looks whether the body is refused: a chunk may begin thousands of parts. */
const SLICE = 4096;

/** Hands a body to its parser, in slices. While anything is awaited, no more of the body is read. */
function connectParser(body: Readable, parser: InstanceType<typeof Busboy>) {
  const state = { holds: 0, isOpen: true };
  body.on('data', (chunk: Buffer) => {
    // The parts are kept anyway, so there is nothing to wait for when the parser says that it is full. A slice may close it.
    for (let at = 0; at < chunk.length && state.isOpen; at += SLICE) parser.write(chunk.subarray(at, at + SLICE));
  });
  body.on('end', () => {
    if (state.isOpen) parser.end();
  });
  return {
    async hold(awaited: () => Promise<void>): Promise<void> {
      if (state.holds === 0) body.pause();
      state.holds += 1;
      await awaited();
      state.holds -= 1;
      if (state.holds === 0 && state.isOpen) body.resume();
    },
    disconnect: () => {
      state.isOpen = false;
    },
  };
}

/** Checks the token of a form once, as soon as it is there. */
function createTokenGate({ isTrusted: isKnown, checkToken }: MultipartOptions, received: ReceivedBody) {
  let isTrusted = isKnown;
  let check: Promise<void> | undefined;
  async function checkPart({ chunks }: Part): Promise<void> {
    if (checkToken === undefined) return;
    await checkToken(Buffer.concat(chunks).toString());
    isTrusted = true;
    received.trust();
  }
  return {
    check: (part: Part): Promise<void> => (check ??= checkPart(part)),
    /** Waits for the check of a token that has arrived, and refuses if there is none. */
    async pass(): Promise<void> {
      if (isTrusted) return;
      // The parser reports the parts that it has received a moment later.
      await new Promise((resolved) => setImmediate(resolved));
      await check;
      if (!isTrusted) throw tokenFirst();
    },
  };
}

/** Parses a body while it arrives, and stops reading at the limit, at a token that is refused, or when it is too slow. */
function receiveParts(
  headers: IncomingHttpHeaders,
  body: Readable,
  options: MultipartOptions,
  limit: number,
): Promise<readonly Part[]> {
  const parser = openParser(headers);
  return new Promise((resolve, reject) => {
    let [size, isOver] = [0, false];
    const fail = (error: unknown): void => {
      if (isOver) return;
      isOver = true;
      connection.disconnect();
      received.release();
      reject(error);
    };
    const damaged = (cause?: unknown): void =>
      fail(new StewardError('invalid', 'The multipart body is damaged or cut short.', { cause }));
    const received = options.open(fail);
    const gate = createTokenGate(options, received);
    const parts = gatherParts(parser, (part, stream) => {
      stream.on('error', damaged);
      stream.on('limit', () => fail(fileTooLarge()));
      if (part.name === 'token') stream.on('end', () => void connection.hold(() => gate.check(part)).catch(fail));
    });
    parser.on('partsLimit', () => fail(tooManyFields()));
    parser.on('error', damaged);
    parser.on('finish', () => {
      if (!isOver) resolve(parts);
      isOver = true;
      options.onComplete(size);
    });
    body.on('error', damaged);
    // All bytes count, also those between the parts.
    body.on('data', (chunk: Buffer) => {
      if (isOver) return;
      const isFirstLarge = size <= LIMITS.form && size + chunk.length > LIMITS.form;
      size += chunk.length;
      const refusal = size > limit ? bodyTooLarge(limit) : received.add(chunk.length);
      if (refusal !== undefined) fail(refusal);
      else if (isFirstLarge) connection.hold(gate.pass).catch(fail);
    });
    // If the head of a part never ends, the parser waits for more although the body has ended.
    body.on('end', () => setImmediate(damaged));
    const connection = connectParser(body, parser);
  });
}

/** Reads a multipart body: files of the fields that take one, and the text of every other part. */
export async function readMultipart(
  headers: IncomingHttpHeaders,
  body: Readable,
  options: MultipartOptions,
): Promise<{ readonly form: Form; readonly files: Files }> {
  const limit = options.fileFields.size === 0 ? LIMITS.form : LIMITS.upload;
  if (Number(headers['content-length'] ?? 0) > limit) throw bodyTooLarge(limit);
  const form: Record<string, string | string[]> = Object.create(null);
  const files = new Map<string, SentFile>();
  for (const part of await receiveParts(headers, body, options, limit)) {
    const { name, fileName, contentType } = part;
    if (name === undefined || name === '')
      throw new StewardError('invalid', 'A part of the multipart body has no name.', {
        details: ['Content-Disposition: give each part the name of its field, such as form-data; name="f"'],
      });
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

import { constants, createBrotliDecompress, createInflateRaw, createUnzip } from 'node:zlib';

/** How much of an answer is kept, both as received and after decompression. */
export const ANSWER_LIMIT = 64 * 1024;

/** The flush flags make a decompressor accept an answer that was cut off at the limit. */
function decompressorFor(encoding: string, firstByte: number) {
  const finishFlush = constants.Z_SYNC_FLUSH;
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return createUnzip({ finishFlush });
    case 'deflate':
      // The standard requires a zlib header, whose first byte ends in 8 (hexadecimal). Some servers omit it.
      return firstByte % 16 === 8 ? createUnzip({ finishFlush }) : createInflateRaw({ finishFlush });
    case 'br':
      return createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH });
    default:
      return undefined;
  }
}

/** Stops at the limit, so that a decompression bomb never unfolds. Returns an empty buffer for damaged or unknown content. */
function decompress(bytes: Buffer, encoding: string): Promise<Buffer> {
  const stream = decompressorFor(encoding, bytes[0] ?? 0);
  if (stream === undefined) return Promise.resolve(Buffer.alloc(0));
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const finish = (): void => resolve(Buffer.concat(chunks, Math.min(size, ANSWER_LIMIT)));
    stream.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size < ANSWER_LIMIT) return;
      finish();
      stream.destroy();
    });
    stream.on('end', finish);
    stream.on('error', () => resolve(Buffer.alloc(0)));
    stream.end(bytes);
  });
}

/** Replaces invalid UTF-8 and NUL, which PostgreSQL cannot store. Replacing may lengthen the text, so the limit applies again. */
function textOf(bytes: Buffer): string {
  const text = bytes.toString('utf8').replaceAll('\0', '\uFFFD');
  if (bytes.length * 3 <= ANSWER_LIMIT || Buffer.byteLength(text) <= ANSWER_LIMIT) return text;
  return text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(ANSWER_LIMIT)).read);
}

/** Returns the text of an answer that is kept. Only a compressed answer needs a promise. */
export function readAnswer(chunks: readonly Buffer[], contentEncoding: unknown): string | Promise<string> {
  const [first] = chunks;
  if (first === undefined) return '';
  const bytes = chunks.length === 1 ? first : Buffer.concat(chunks);
  const encoding = typeof contentEncoding === 'string' ? contentEncoding.trim().toLowerCase() : '';
  return encoding === '' || encoding === 'identity' ? textOf(bytes) : decompress(bytes, encoding).then(textOf);
}

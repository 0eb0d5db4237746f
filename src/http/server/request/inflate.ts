import { promisify } from 'node:util';
import { gunzip, inflate as inflateZlib, inflateRaw } from 'node:zlib';
import { StewardError } from '../../../foundation/errors.ts';

const ENCODINGS = { gzip: promisify(gunzip), 'x-gzip': promisify(gunzip), deflate: promisify(inflateZlib) } as const;

function damaged(): StewardError {
  return new StewardError('invalid', 'The compressed body is damaged.');
}

/** Decompresses a body, up to a limit that protects against small bodies that inflate to huge ones. */
export async function inflate(body: Buffer, encoding: string, limit: number): Promise<Buffer> {
  const name = encoding.trim().toLowerCase();
  if (name === 'identity' || name === '') return body;
  if (!Object.hasOwn(ENCODINGS, name)) {
    throw new StewardError('unsupportedMedia', `The Content-Encoding ${name} is not supported; use gzip or deflate.`);
  }
  const options = { maxOutputLength: limit };
  try {
    return await ENCODINGS[name as keyof typeof ENCODINGS](body, options);
  } catch (error) {
    if (error instanceof RangeError) throw new StewardError('tooLarge', `The body is larger than ${limit} bytes.`);
    // Some clients send raw deflate data under this name.
    if (name === 'deflate') return promisify(inflateRaw)(body, options).catch(() => Promise.reject(damaged()));
    throw damaged();
  }
}

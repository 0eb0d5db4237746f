import type { KeyObject } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { problemWithSignature } from '../../model/webhookSignature.ts';

const MAX_BODY = 1024 * 1024;

/** A delivery as its receiver reads it. */
export interface ReceivedDelivery {
  readonly path: string;
  readonly id: string | undefined;
  readonly attempt: string | undefined;
  readonly type: string | undefined;
  /** The JSON as it was sent, also out of a form; else the body as it came. */
  readonly text: string;
  /** Undefined where there was no key to check it with. */
  readonly check: { readonly problem: string | undefined } | undefined;
}

/** Undefined when it is too large. The rest is read all the same, or the sender would meet a reset and not the 413. */
export async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= MAX_BODY) chunks.push(chunk);
  }
  return size > MAX_BODY ? undefined : Buffer.concat(chunks);
}

function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

function typeOf(text: string): string | undefined {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body !== 'object' || body === null || !('type' in body)) return undefined;
    return typeof body.type === 'string' ? body.type : undefined;
  } catch {
    return undefined;
  }
}

/** Genuine by any of the keys. The signature is of the body as it came, so of the form where it is one. */
export function readDelivery(
  request: IncomingMessage,
  body: string,
  keys: readonly KeyObject[],
  now: number,
): ReceivedDelivery {
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(request.headers['content-type'] ?? '');
  const text = isForm ? (new URLSearchParams(body).get('payload') ?? body) : body;
  const signed = {
    id: header(request, 'webhook-id'),
    timestamp: header(request, 'webhook-timestamp'),
    signature: header(request, 'webhook-signature'),
  };
  const problems = keys.map((key) => problemWithSignature(key, signed, body, now));
  return {
    path: request.url ?? '/',
    id: signed.id,
    attempt: header(request, 'webhook-attempt'),
    type: typeOf(text),
    text,
    check: keys.length === 0 ? undefined : { problem: problems.includes(undefined) ? undefined : problems[0] },
  };
}

import type { KeyObject } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { parseJson, valueAt } from '../../foundation/schema/json.ts';
import { signatureProblem } from '../../model/webhookSignature.ts';

const MAX_BODY = 1024 * 1024;

/** A delivery as a receiver sees it. */
export interface ReceivedDelivery {
  readonly path: string;
  readonly id: string | undefined;
  readonly attempt: string | undefined;
  readonly type: string | undefined;
  /** The JSON text, taken out of a form if it was sent as one; the whole body if there is none. */
  readonly text: string;
  /** Undefined if there was no key to verify the signature with. */
  readonly check: { readonly problem: string | undefined } | undefined;
}

/** Returns undefined if the body is too large. Still reads all of it: the sender would see a reset instead of the 413. */
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
  const type = valueAt(parseJson(text), 'type');
  return typeof type === 'string' ? type : undefined;
}

/** Verifies a delivery with each of the keys; one that fits is enough. The signature covers the body as sent, form or JSON. */
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
  const problems = keys.map((key) => signatureProblem(key, signed, body, now));
  return {
    path: request.url ?? '/',
    id: signed.id,
    attempt: header(request, 'webhook-attempt'),
    type: typeOf(text),
    text,
    check: keys.length === 0 ? undefined : { problem: problems.includes(undefined) ? undefined : problems[0] },
  };
}

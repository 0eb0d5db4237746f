import type { KeyObject } from 'node:crypto';
import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';

// Signatures of deliveries after Standard Webhooks 1.0.
const PREFIX = 'whsec_';
const BASE64 = /^[A-Za-z\d+/]+={0,2}$/;
const TOLERATED_SECONDS = 5 * 60;

/** Decodes the base64 of `whsec_…`. The bytes of any other secret are the key. */
export function signingKey(secret: string): KeyObject {
  const encoded = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : '';
  return createSecretKey(BASE64.test(encoded) ? Buffer.from(encoded, 'base64') : Buffer.from(secret, 'utf8'));
}

/** Signs with each key; the signatures are separated by spaces. During a key rotation a receiver accepts either one. */
export function signatureOf(keys: readonly KeyObject[], id: string, seconds: number, body: string): string {
  const signed = `${id}.${seconds}.${body}`;
  return keys.map((key) => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`).join(' ');
}

/** Signs in the older form that some receivers know. It covers the body only, so a request can be replayed. */
export function bodySignatureOf(key: KeyObject, body: string): string {
  return `sha256=${createHmac('sha256', key).update(body).digest('hex')}`;
}

export interface SignedHeaders {
  readonly id: string | undefined;
  readonly timestamp: string | undefined;
  readonly signature: string | undefined;
}

/** Returns why a signature is not accepted, or undefined if it is genuine and recent. */
export function signatureProblem(
  key: KeyObject,
  { id, timestamp, signature }: SignedHeaders,
  body: string,
  now: number,
): string | undefined {
  if (id === undefined || timestamp === undefined || signature === undefined)
    return 'webhook-id, webhook-timestamp or webhook-signature is missing';
  const seconds = Number(timestamp);
  if (!Number.isInteger(seconds)) return 'webhook-timestamp is not a number';
  if (Math.abs(now / 1000 - seconds) > TOLERATED_SECONDS) return 'webhook-timestamp is more than five minutes off';
  const expected = Buffer.from(signatureOf([key], id, seconds, body));
  const isGenuine = signature.split(' ').some((one) => {
    const given = Buffer.from(one);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  return isGenuine ? undefined : 'the signature does not match the key';
}

import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

const PREFIX = 'stw_';

/** 256 random bits. The prefix lets scanners of leaked secrets recognise one. */
export function newTokenSecret(): string {
  return PREFIX + randomBytes(32).toString('base64url');
}

/** What the store keeps. The secret has full entropy, so a plain fast hash is enough. */
export function hashOfSecret(secret: string): string {
  return hash('sha256', secret, 'base64url');
}

/** Only who knows the session's secret can make it; the cookie itself cannot be read by a page's script. */
export function csrfTokenOf(secret: string): string {
  return hash('sha256', `csrf:${secret}`, 'base64url');
}

export function isCsrfTokenOf(secret: string, presented: string): boolean {
  const expected = Buffer.from(csrfTokenOf(secret));
  const given = Buffer.from(presented);
  return expected.length === given.length && timingSafeEqual(expected, given);
}

const LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789';

/** 100 random bits as four groups of five: strong, and possible to type from a screen. */
export function newPassword(): string {
  const letters = Array.from(randomBytes(20), (byte) => LETTERS[byte % LETTERS.length]).join('');
  return letters.match(/.{5}/g)?.join('-') ?? letters;
}

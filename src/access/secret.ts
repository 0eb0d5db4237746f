import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

const PREFIX = 'stw_';

/** Makes a secret of 256 random bits. The prefix lets secret scanners recognise a leaked one. */
export function newTokenSecret(): string {
  return PREFIX + randomBytes(32).toString('base64url');
}

/** Hashes a secret for the store. It has full entropy, so a plain fast hash is enough. */
export function hashOfSecret(secret: string): string {
  return hash('sha256', secret, 'base64url');
}

/** Derives the CSRF token of a session. It proves knowledge of the session's secret, which scripts cannot read from the cookie. */
export function csrfTokenOf(secret: string): string {
  return hash('sha256', `csrf:${secret}`, 'base64url');
}

export function isCsrfTokenOf(secret: string, presented: string): boolean {
  const expected = Buffer.from(csrfTokenOf(secret));
  const given = Buffer.from(presented);
  return expected.length === given.length && timingSafeEqual(expected, given);
}

const LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789';

/** Makes a password of 100 random bits in four groups of five: strong, and short enough to type from a screen. */
export function newPassword(): string {
  const letters = Array.from(randomBytes(20), (byte) => LETTERS[byte % LETTERS.length]).join('');
  return letters.match(/.{5}/g)?.join('-') ?? letters;
}

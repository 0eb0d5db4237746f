import { createHash } from 'node:crypto';

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** A number from 0 up to 1 that depends on the text only. */
export function share(text: string): number {
  return Number.parseInt(sha256(text).slice(0, 8), 16) / 2 ** 32;
}

import { randomBytes } from 'node:crypto';

/** 120 random bits in lower-case letters and digits, safe in a path and easy to read out. */
export function newId(): string {
  return BigInt(`0x${randomBytes(15).toString('hex')}`)
    .toString(36)
    .padStart(24, '0');
}

/** Unique to this process by 80 random bits, then counted, because a random one for each request costs more than its id is worth. */
export function createIdSequence(): () => string {
  const prefix = newId().slice(-16);
  let count = 0;
  return () => `${prefix}-${(count += 1).toString(36)}`;
}

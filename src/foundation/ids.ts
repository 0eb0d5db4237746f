import { randomBytes } from 'node:crypto';

/** 120 random bits in lower-case letters and digits, safe in a path and easy to read out. */
export function newId(): string {
  return BigInt(`0x${randomBytes(15).toString('hex')}`)
    .toString(36)
    .padStart(24, '0');
}

/** Ids for requests: unique to this process, then counted, because a random one for each request costs more than the request id is worth. */
export function createIdSequence(): () => string {
  const prefix = newId().slice(0, 10);
  let count = 0;
  return () => `${prefix}-${(count += 1).toString(36)}`;
}

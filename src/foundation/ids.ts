import { randomBytes } from 'node:crypto';

/** Makes an id of 120 random bits in lower-case letters and digits: safe in a path, easy to read aloud. */
export function newId(): string {
  return BigInt(`0x${randomBytes(15).toString('hex')}`)
    .toString(36)
    .padStart(24, '0');
}

/** Creates a counter with a random prefix of 80 bits: cheaper than `newId` for ids that each request needs. */
export function createIdSequence(): () => string {
  const prefix = newId().slice(-16);
  let count = 0;
  return () => `${prefix}-${(count += 1).toString(36)}`;
}

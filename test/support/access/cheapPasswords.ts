import { createHash } from 'node:crypto';
import type { Passwords } from '../../../src/access/passwords.ts';

function hashOf(password: string): string {
  return `cheap ${createHash('sha256').update(password).digest('hex')}`;
}

/** Passwords with a cheap hash. The real one is slow by design, and has its own test. */
export const cheapPasswords: Passwords = {
  hash: async (password) => hashOf(password),
  matches: async (password, passwordHash) => hashOf(password) === passwordHash,
};

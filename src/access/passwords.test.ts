import { afterAll, beforeEach, expect, test, vi } from 'vitest';

const verified: string[] = [];

vi.mock(import('@node-rs/argon2'), async (load) => {
  const argon2 = await load();
  return {
    ...argon2,
    verify: (hashed, password) => {
      verified.push(String(hashed));
      return argon2.verify(hashed, password);
    },
  };
});

// Other test files share the modules of this process: load this one with the recorder, and drop it afterwards.
vi.resetModules();
const { memoryHardPasswords: passwords } = await import('./passwords.ts');
afterAll(() => {
  vi.doUnmock('@node-rs/argon2');
  vi.resetModules();
});

beforeEach(() => void verified.splice(0));

test('a password matches its own hash only', async () => {
  const hashed = await passwords.hash('right');
  expect(await passwords.matches('right', hashed)).toBe(true);
  expect(await passwords.matches('wrong', hashed)).toBe(false);
});

test('[ACC5] for an unknown account, a hash of the same cost is verified, and never matches', async () => {
  const costOf = (hashed: string): string => hashed.split('$').slice(0, 4).join('$');
  expect(await passwords.matches('any', undefined)).toBe(false);
  expect(verified.map(costOf)).toEqual([costOf(await passwords.hash('any'))]);
});

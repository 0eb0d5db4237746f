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
const { createPasswords } = await import('./passwords.ts');
afterAll(() => {
  vi.doUnmock('@node-rs/argon2');
  vi.resetModules();
});

beforeEach(() => void verified.splice(0));

test('a password matches its own hash only', async () => {
  const passwords = createPasswords();
  const hashed = await passwords.hash('right');
  expect(await passwords.matches('right', hashed)).toBe(true);
  expect(await passwords.matches('wrong', hashed)).toBe(false);
});

test('[ACC5] for an unknown account, a hash of the same cost is verified, and never matches', async () => {
  const passwords = createPasswords();
  const costOf = (hashed: string): string => hashed.split('$').slice(0, 4).join('$');
  expect(await passwords.matches('any', undefined)).toBe(false);
  expect(verified.map(costOf)).toEqual([costOf(await passwords.hash('any'))]);
});

test('beyond 200 waiting sign-ins, the next is refused', async () => {
  const passwords = createPasswords();
  const results = await Promise.allSettled(
    Array.from({ length: 203 }, () => passwords.matches('wrong', '$argon2id$v=19$m=8,t=1,p=1$c2FsdHNhbHQ$AAAA')),
  );
  const refused = results.filter((result) => result.status === 'rejected' && result.reason.code === 'unavailable');
  expect(refused).toHaveLength(1);
});

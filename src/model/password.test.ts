import { describe, expect, test } from 'vitest';
import { newPassword } from '../access/secret.ts';
import { passwordProblem } from './password.ts';

describe('[ACC11] a new password', () => {
  test.each(['', 'x', 'Zt8#kqw', '1234567', 'ä'.repeat(7), '😀'.repeat(7)])('%j is too short', (password) => {
    expect(passwordProblem(password)).toContain(`it has ${Array.from(password).length}`);
  });

  test.each([
    'password',
    'Password1',
    'P4ssw0rd!',
    '12345678',
    '87654321',
    'qwertzui',
    'aaaaaaaa',
    'abababab',
    'admin2026',
    'letmein!!',
    'Summer2026',
    'xxmonkeyxx',
    'steward-1',
    'ｐａｓｓｗｏｒｄ',
  ])('%s is too easy to guess for its length', (password) => {
    expect(passwordProblem(password)).toMatch(/at least 12 characters.*is easy to guess$/);
  });

  test.each([
    'k7#mvQz2',
    'Zt8 kqw-',
    'geduld-x9',
    '😀🙈🦊🐸🐙🦉🐝🦋',
    'twelve chars',
    'correct horse battery',
    'x'.repeat(256),
  ])('%s is accepted', (password) => {
    expect(passwordProblem(password)).toBeUndefined();
  });

  test('a password that is too long or has a NUL is refused', () => {
    expect(passwordProblem('x'.repeat(257))).toContain('at most 256');
    expect(passwordProblem('a long password\u0000')).toContain('NUL');
  });

  test('a generated password is accepted', () => {
    for (let n = 0; n < 50; n += 1) expect(passwordProblem(newPassword())).toBeUndefined();
  });

  test('the reason does not repeat the password', () => {
    expect(passwordProblem('monkey123')).not.toContain('monkey');
  });
});

import { expect, test } from 'vitest';
import { lookOf, usernameProblem } from './username.ts';

test.each([
  'ann',
  'zoë@example.org',
  'иван',
  'γιώργος',
  '山田太郎',
  'やまだ',
  'やまだ-tokyo',
  '김민수',
  'user_1',
  '42',
])('[DEC5] the name %s is accepted', (name) => {
  expect(usernameProblem(name)).toBeUndefined();
});

test.each([
  ['\u0430dmin', 'must not mix scripts; it has letters of Cyrillic and Latin'],
  ['adm\u03b9n', 'must not mix scripts; it has letters of Latin and Greek'],
  ['an\u0578', 'must not mix scripts; it has letters of Latin and Armenian'],
  ['山ann김や', 'must not mix scripts; it has letters of Han and Latin and Hangul and Hiragana'],
  ['admin\ufe0f', 'must not contain invisible characters'],
  ['ad\u034fmin', 'must not contain invisible characters'],
  ['admin\u3164', 'must not contain invisible characters'],
])('[DEC5] the name %j is refused: %s', (name, problem) => {
  expect(usernameProblem(name)).toBe(problem);
});

test.each([
  ['\u0441\u0430\u0441\u0430', 'caca'],
  ['\u03bf\u03bd\u03bf', 'ovo'],
  ['\uff41dmin', 'admin'],
  ['adm\u0131n', 'admin'],
  ['ADM\u0130N', 'admin'],
  ['\u0251dmin', 'admin'],
])('[DEC5] the name %j looks like %s', (name, other) => {
  expect(lookOf(name)).toBe(lookOf(other));
});

test.each([
  ['zoë', 'zoe'],
  ['ann', 'anna'],
  ['иван', 'ivan'],
])('[DEC5] the names %s and %s look different', (one, other) => {
  expect(lookOf(one)).not.toBe(lookOf(other));
});

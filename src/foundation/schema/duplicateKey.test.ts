import { expect, test } from 'vitest';
import { duplicateKey } from './duplicateKey.ts';

test.each([
  ['{"a":1,"a":2}', 'a'],
  ['{"b":{"a":1,"c":[{"x":1,"y":2,"x":3}]}}', 'x'],
  ['{"a":1,"\\u0061":2}', 'a'],
  ['[{"a":1},{"b":[],"b":{}}]', 'b'],
  ['{"":1,"":2}', ''],
  ['{"__proto__":1,"__proto__":2}', '__proto__'],
])('[UPG8] in %s the key %j is found twice', (text, key) => {
  expect(duplicateKey(text)).toBe(key);
});

test.each([
  '{}',
  '[]',
  '"a"',
  '7',
  '{"a":"a","b":["a","a"],"c":{"a":1},"d":{"a":1}}',
  '{"a":"\\",\\"a\\":1"}',
  '["{","{"]',
])('[UPG8] in %s no key is found twice', (text) => {
  expect(duplicateKey(text)).toBeUndefined();
});

test('[UPG8] a text that is nested a hundred thousand times is read without a deep stack', () => {
  expect(duplicateKey(`${'['.repeat(100_000)}{"a":1,"a":2}${']'.repeat(100_000)}`)).toBe('a');
});

import { expect, test } from 'vitest';
import { jsonLayout } from './jsonLayout.ts';

test('JSON is laid out as JSON.stringify does it', () => {
  const values = [{}, [], 1, 'a', { a: [], b: {} }, { a: [1, { b: null }], 'c:"{,': '\\"}', d: [[true]] }];
  for (const value of values) expect(jsonLayout(JSON.stringify(value))).toBe(JSON.stringify(value, undefined, 2));
});

test('numbers keep all their digits, and repeated names stay', () => {
  expect(jsonLayout('{"a":12345678901234567890,"a":1.0}')).toBe('{\n  "a": 12345678901234567890,\n  "a": 1.0\n}');
});

test('text that is not JSON is left as it is', () => {
  expect(jsonLayout('payload=%7B%7D')).toBe('payload=%7B%7D');
});

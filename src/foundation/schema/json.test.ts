import { expect, test } from 'vitest';
import { parseJson } from './json.ts';

test('[REQ9] JSON that is nested deeper than 1,000 levels is refused before it is parsed', () => {
  const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
  expect(parseJson(nested(1000))).toBeDefined();
  expect(parseJson(nested(1001))).toBeUndefined();
  expect(parseJson('{"a":'.repeat(500_000))).toBeUndefined();
});

test('brackets in texts do not count as nesting', () => {
  const value = { a: '[{'.repeat(5000), 'b\\"[': '\\'.repeat(3000), c: [[]] };
  expect(parseJson(JSON.stringify(value))).toEqual(value);
});

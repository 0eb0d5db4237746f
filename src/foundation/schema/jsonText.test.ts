import { describe, expect, test } from 'vitest';
import { FILE_LIMITS, TOO_DEEP, sizeProblem } from './jsonText.ts';

function keys(count: number): string {
  return `{${Array.from({ length: count }, (_, n) => `"k${n}":1`).join(',')}}`;
}

function list(value: string, count: number): string {
  return `[${Array.from({ length: count }, () => value).join(',')}]`;
}

const CONTAINER = `{"name":"a","checksum":"sha256:${'0'.repeat(64)}","image":"web:${'1'.repeat(30)}"}`;

describe('[REQ9] the size of a JSON text', () => {
  test.each([
    ['a thousand different keys', keys(1000)],
    ['the same keys in many objects', list(keys(5), 10_000)],
    ['a manifest of 16 MiB', list(CONTAINER, 124_000)],
    ['colons in strings', list('"a:b"', 2000)],
    ['many objects', list('{}', 149_999)],
    ['many values', list('0', 500_000)],
  ])('has no problem in a file: %s', (_name, text) => {
    expect(sizeProblem(text, FILE_LIMITS)).toBeUndefined();
  });

  test.each([
    ['different keys', keys(1001), 'must have at most 1000 different keys'],
    ['different keys of two objects', `[${keys(600)},{"a":${keys(1000)}}]`, 'must have at most 1000 different keys'],
    ['objects', list('{}', 150_000), 'must have at most 150000 objects and lists'],
    ['lists', list('[]', 150_000), 'must have at most 150000 objects and lists'],
    ['values', list('0', 500_002), 'must have at most 500000 values'],
    ['nesting', '['.repeat(500_000), TOO_DEEP],
  ])('has a limit in a file: %s', (_name, text, problem) => {
    expect(sizeProblem(text, FILE_LIMITS)).toBe(problem);
  });

  test('has a higher limit for the different keys of a request', () => {
    expect(sizeProblem(keys(20_000))).toBeUndefined();
    expect(sizeProblem(keys(20_001))).toBe('must have at most 20000 different keys');
  });

  test.each(['{"a', '{"a\\', '}}]]', '::::', '"', '\\', ''])('is found in any text: %s', (text) => {
    expect(() => sizeProblem(text.padStart(3000), FILE_LIMITS)).not.toThrow();
  });
});

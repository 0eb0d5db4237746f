import { describe, expect, test } from 'vitest';
import { structureProblem } from './jsonStructure.ts';

describe('the structure of a JSON text', () => {
  test.each([
    '{}',
    '{"a":{"a":[{"a":1},{"a":2}]},"b":"{\\"a\\":1,\\"a\\":2}"}',
    '["a","a",{"a":"a"}]',
    ' { "a" : [ "x" , "x" ] , "b" : "\\\\" } ',
    `${'['.repeat(64)}${']'.repeat(64)}`,
    '"only a text"',
    '',
  ])('has no problem: %s', (text) => {
    expect(structureProblem(text)).toBeUndefined();
  });

  test.each([
    ['{"a":1,"a":2}', 'a', 'was sent more than once'],
    ['{"a":1,"\\u0061":2}', 'a', 'was sent more than once'],
    ['{"a":{"b":1,"c":{},"b":2}}', 'a', 'has the key "b" more than once'],
    ['{"x":[],"a":[{"b":1,"b":2}]}', 'a', 'has the key "b" more than once'],
    [`{"a":${'['.repeat(64)}${']'.repeat(64)}}`, 'a', 'must be nested at most 64 deep'],
  ])('has a problem, and its field is named: %s', (text, field, problem) => {
    expect(structureProblem(text)).toEqual({ field, text: problem });
  });

  test.each(['{"a', '{"a\\', '}}]]', '{"a" "b" "a"', '{"\\uZZZZ":1', ',,,,"a",'])(
    'is found in any text: %s',
    (text) => {
      expect(() => structureProblem(text)).not.toThrow();
    },
  );
});

import { describe, expect, test } from 'vitest';
import { longFunctions } from './functionLength.ts';
import { parse } from './sources.ts';

describe('the guard of function lengths', () => {
  const lines = (count: number): string => 'use();\n'.repeat(count);
  const found = (text: string): readonly string[] => longFunctions(parse('a.ts', text));

  test.each([
    ['a long function', `function long() {\n${lines(50)}}`, ['a.ts:1 long 52 lines']],
    ['a long arrow function', `const long = () => {\n${lines(50)}};`, ['a.ts:1 long 52 lines']],
    ['a long method', `const a = {\nlong() {\n${lines(50)}},\n};`, ['a.ts:2 long 52 lines']],
    [
      'a long function that returns a value',
      `function long() {\nconst inner = () => {\n${lines(30)}};\n${lines(25)}return inner();\n}`,
      ['a.ts:1 long 60 lines'],
    ],
    [
      'a factory with too many own lines',
      `function make() {\n${lines(50)}return { a: () => 1 };\n}`,
      ['a.ts:1 make 53 lines'],
    ],
    [
      'a long function inside a factory',
      `function make() {\nfunction inner() {\n${lines(50)}}\nreturn { inner };\n}`,
      ['a.ts:2 inner 52 lines'],
    ],
  ])('finds %s', (_what, text, problems) => {
    expect(found(text)).toEqual(problems);
  });

  test.each([
    ['a short function', `function short() {\n${lines(48)}}`],
    [
      'a factory that returns an object',
      `function make() {\nconst a = () => {\n${lines(40)}};\nconst b = () => {\n${lines(40)}};\nreturn { a, b };\n}`,
    ],
    ['a factory with many comments', `function make() {\n${'/** Why. */\n\n'.repeat(30)}return { a: () => 1 };\n}`],
    ['a factory that returns a function', `function make() {\n${lines(20)}return () => {\n${lines(40)}};\n}`],
    [
      'a factory that names its object',
      `function make() {\nconst it = { a() {\n${lines(45)}} };\n${lines(20)}return it;\n}`,
    ],
    [
      'a suite of tests',
      `function suite() {\ntest('a', () => {\n${lines(40)}});\ntest('b', () => {\n${lines(40)}});\n}`,
    ],
  ])('accepts %s', (_what, text) => {
    expect(found(text)).toEqual([]);
  });
});

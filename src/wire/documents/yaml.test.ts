import { expect, test } from 'vitest';
import { MAX_YAML, readYaml, readYamlDocuments } from './yaml.ts';

function problemOf(text: string): string {
  const result = readYaml(text);
  return result.kind === 'invalid' ? result.problem : `valid: ${JSON.stringify(result.value)?.slice(0, 100)}`;
}

function repeated(text: string): string {
  return text.repeat(Math.floor(MAX_YAML / text.length));
}

test('a YAML text with plain values is read as JSON would be', () => {
  const text = 'a: 1\nb: [x, true, null, 1.5]\nc: {d: ""}\ne: 2026-01-01\nf: yes\n';
  const value = { a: 1, b: ['x', true, null, 1.5], c: { d: '' }, e: '2026-01-01', f: 'yes' };
  expect(readYaml(text)).toEqual({ kind: 'valid', value });
  expect(readYaml(JSON.stringify(value))).toEqual({ kind: 'valid', value });
});

test('an empty YAML text is null', () => {
  for (const text of ['', '\n', '# a comment\n', '---\n'])
    expect(readYaml(text)).toEqual({ kind: 'valid', value: null });
});

test.each([
  ['sequences', repeated('- ')],
  ['flow sequences', repeated('[')],
  ['flow mappings', repeated('{a: ')],
  ['pairs in flow sequences', repeated('[a: ')],
  ['complex keys', repeated('? ')],
  ['empty keys', repeated(': ')],
  ['mappings', Array.from({ length: 500 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n')],
])('[REQ9] a YAML text of nested %s is refused at the first level that is too deep', (_name, text) => {
  expect(problemOf(text)).toMatch(/^is nested deeper than 64 levels \(line \d+, column \d+\)$/);
});

test('[REQ9] a YAML text with 64 levels is accepted, one with 65 is refused', () => {
  expect(problemOf('['.repeat(64) + ']'.repeat(64))).toMatch(/^valid/);
  expect(problemOf('['.repeat(65) + ']'.repeat(65))).toMatch(/deeper than 64/);
});

test('[REQ9] a YAML text with an alias is refused, whatever the alias refers to', () => {
  const bomb = Array.from({ length: 20 }, (_, n) => `a${n + 1}: &a${n + 1} [*a${n}, *a${n}, *a${n}]`).join('\n');
  for (const text of [
    `a0: &a0 x\n${bomb}`,
    'a: &a [1]\nb: *a',
    'a: &a {b: *a}',
    'a: *missing',
    'a: &a {b: 1}\nc: {<<: *a}',
  ])
    expect(problemOf(text)).toMatch(/^contains an alias; .* \(line \d+, column \d+\)$/);
});

test('[REQ9] a YAML text that is larger than its limit is refused before it is parsed', () => {
  expect(problemOf(`${'x'.repeat(MAX_YAML)}[`)).toBe(
    `is too large for YAML: it has ${MAX_YAML + 1} bytes, ${MAX_YAML} are allowed`,
  );
  expect(readYaml('a: 12345', 4).kind).toBe('invalid');
});

test('a YAML text with a repeated key, an unknown tag, a complex key or a syntax error is refused with its place', () => {
  expect(problemOf('a: 1\nb: 2\na: 3')).toBe('contains a key twice (line 3, column 1)');
  expect(problemOf('a: !!js/function x')).toMatch(/^is not valid YAML: unknown scalar tag .* \(line 1, column 4\)$/);
  expect(problemOf('? [a, b]\n: c')).toMatch(/^is not valid YAML: .*complex keys/);
  expect(problemOf('a: [')).toMatch(/^is not valid YAML: .* \(line 1, column 5\)$/);
});

test('a key named __proto__ is an own key of the value', () => {
  const result = readYaml('__proto__: {isAdmin: true}');
  expect(result.kind === 'valid' && Object.keys(result.value as object)).toEqual(['__proto__']);
  expect(({} as Record<string, unknown>)['isAdmin']).toBeUndefined();
});

test('several documents are refused where one is expected, and read where several are', () => {
  for (const text of ['a: 1\n---\nb: 2', '---\na: 1\n---\nb: 2', repeated('---\n')])
    expect(problemOf(text)).toBe('contains more than one document');
  expect(problemOf('---\na: 1\n')).toMatch(/^valid/);
  expect(readYamlDocuments('a: 1\n---\nb: 2')).toEqual({ kind: 'valid', value: [{ a: 1 }, { b: 2 }] });
});

import { expect, test } from 'vitest';
import { problemsOf } from '../../fields/fields.ts';
import { catalogDocument } from './catalogDocument.ts';

function problemOf(text: string): string {
  const result = catalogDocument.read(text);
  return result.kind === 'invalid' ? problemsOf(result).join('; ') : 'valid';
}

test('[REQ9] a YAML import that is nested, uses aliases or repeats a key is refused with its place', () => {
  const anchors = Array.from({ length: 9000 }, (_, n) => `- &a${n} [*a${Math.max(0, n - 1)}]`).join('\n');
  expect(problemOf('- '.repeat(98_000))).toMatch(/^is nested deeper than 64 levels \(line 1, /);
  expect(problemOf(`services:\n${anchors}`)).toMatch(/^contains an alias/);
  expect(problemOf('services: []\nservices: []')).toBe('contains a key twice (line 2, column 1)');
  expect(problemOf(`a: ${'x'.repeat(192 * 1024)}`)).toMatch(/^is too large for YAML: /);
});

test('an import that begins with a bracket is read as JSON, of any size', () => {
  const services = Array.from({ length: 4000 }, (_, n) => ({
    serviceName: `S${n}`,
    type: 'Map',
    description: 'x'.repeat(80),
  }));
  expect(problemOf(JSON.stringify({ services }))).toBe('valid');
  expect(problemOf('{"services": [')).toMatch(/^starts like JSON, but is not valid JSON: /);
  expect(problemOf('[{}]')).toBe('file: must be an object');
});

test('[REQ9] an import in JSON that is nested too deep or repeats a key is refused before it is parsed', () => {
  for (const text of ['['.repeat(500_000), '['.repeat(250_000) + ']'.repeat(250_000)])
    expect(problemOf(text)).toBe('must be nested at most 64 deep');
  expect(problemOf(`{"services":[{"serviceName":${'['.repeat(70)}`)).toBe('services: must be nested at most 64 deep');
  expect(problemOf('{"services":[],"services":[]}')).toBe('services: was sent more than once');
});

test('[REQ9] [DEC29] an import in JSON with too many keys or entries is refused before it is parsed', () => {
  const keys = Array.from({ length: 1001 }, (_, n) => `"k${n}":1`).join(',');
  expect(problemOf(`{${keys}}`)).toBe('must have at most 1000 different keys');
  expect(problemOf(`{"services":[${'{},'.repeat(150_000)}`)).toBe('must have at most 150000 objects and lists');
  expect(problemOf(`{"services":[${'0,'.repeat(500_001)}`)).toBe('must have at most 500000 values');
});

test('[REQ9] an import with many wrong entries names the first hundred problems', () => {
  const problem = problemOf(`{"services":[${'{},'.repeat(100_000)}{}]}`);
  expect(problem.split('; ')).toHaveLength(101);
  expect(problem).toMatch(/; and many more$/);
  expect(problemOf(`{"services":[${'{},'.repeat(60)}{}]}`)).toMatch(/; and 22 more$/);
});

test('[REQ3] an unknown field of an import is refused, because its default would be written instead', () => {
  expect(problemOf('{"services":[{"serviceName":"A","type":"Map","acess":"public"}]}')).toMatch(
    /^services\[0\]: unknown field `acess`; the nearest known field is access \(known: /,
  );
  expect(problemOf('service: []')).toBe(
    'file: unknown field `service`; the nearest known field is services (known: folders, services)',
  );
});

test('an import in YAML gives the same services as the same file in JSON', () => {
  const yaml =
    'folders:\n  - folderName: F\n    description: "a: b"\nservices:\n  - {folderName: F, serviceName: A, type: Map}\n';
  const json = {
    folders: [{ folderName: 'F', description: 'a: b' }],
    services: [{ folderName: 'F', serviceName: 'A', type: 'Map' }],
  };
  expect(catalogDocument.read(yaml)).toEqual(catalogDocument.read(JSON.stringify(json)));
});

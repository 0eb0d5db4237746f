import { expect, test } from 'vitest';
import { readKubernetesYaml } from './yaml.ts';

function valueOf(text: string): unknown {
  const read = readKubernetesYaml(text);
  return read.kind === 'invalid' ? read.problem : read.value[0];
}

test.each([
  ['0400', 256],
  ['0644', 420],
  ['-0644', -420],
  ['+0644', 420],
  ['0o644', 420],
  ['00', 0],
  ['0_7', 7],
  ['08', 8],
  ['0b101', 5],
  ['-0b11', -3],
  ['0xFF', 255],
  ['1_000', 1000],
  ['1_000.5', 1000.5],
  ['1e3', 1000],
  ['.5', 0.5],
  ['+.5', 0.5],
  ['1.', 1],
  ['yes', true],
  ['Yes', true],
  ['YES', true],
  ['on', true],
  ['y', true],
  ['no', false],
  ['NO', false],
  ['Off', false],
  ['N', false],
  ['~', null],
  ['null', null],
  ['', null],
])('[OBJ1] the plain scalar %j of an object is %j, as kubectl and Helm read it', (text, value) => {
  expect(valueOf(text === '' ? 'a:' : text)).toEqual(text === '' ? { a: null } : value);
  expect(valueOf(`a: ${text}\nb: [${text === '' ? '~' : text}]`)).toEqual({ a: value, b: [value] });
});

test.each([
  'yEs',
  'oN',
  'yes!',
  '12:30',
  '12:30:45',
  '2026-01-01',
  '_1',
  '._5',
  '0x',
  '0b2',
  '1e',
  '1e999',
  '1.2.3',
  '-',
  '+',
  '.',
])('[OBJ1] the plain scalar %j of an object is a string', (text) => {
  expect(valueOf(`a: ${text === '-' ? '"-"' : text}`)).toEqual({ a: text });
});

test('[OBJ1] a quoted scalar of an object, and a block of text, is a string', () => {
  expect(valueOf('a: "0400"\nb: \'yes\'\nc: |-\n  on\nd: !!str 0644')).toEqual({
    a: '0400',
    b: 'yes',
    c: 'on',
    d: '0644',
  });
});

test('[OBJ1] a key of an object keeps its text', () => {
  expect(valueOf('on: a\n0400: b\n1.10: c\n~: d\ny: e')).toEqual({
    on: 'a',
    '0400': 'b',
    '1.10': 'c',
    '~': 'd',
    y: 'e',
  });
  expect(valueOf('on: a\n"on": b')).toBe('contains a key twice (line 2, column 2)');
  expect(Object.keys(valueOf('__proto__: {a: 1}') as object)).toEqual(['__proto__']);
});

test('[OBJ1] an explicit tag of an object says how its text is read', () => {
  expect(valueOf('a: !!int "0400"\nb: !!bool "off"\nc: !!float 1')).toEqual({ a: 256, b: false, c: 1 });
  expect(valueOf('a: !!int x')).toMatch(/cannot resolve a node .* \(line 1, column 4\)$/);
});

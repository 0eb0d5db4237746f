import { expect, test } from 'vitest';
import { changesOf, inWords } from './fieldChanges.ts';

test('an edit lists only the fields that differ', () => {
  const before = { name: 'a', tags: ['x'], headers: { key: '1' }, modified: 1, revision: 1 };
  const after = { name: 'a', tags: ['x', 'y'], headers: { key: '2', other: '3' }, modified: 2, revision: 2 };
  expect(changesOf(before, after)).toEqual([
    { field: 'tags', before: ['x'], after: ['x', 'y'] },
    { field: 'headers.key', before: '1', after: '2' },
    { field: 'headers.other', before: undefined, after: '3' },
  ]);
});

test('an edit that changes only the revision lists it', () => {
  expect(changesOf({ revision: 1 }, { revision: 2 })).toHaveLength(1);
});

test('a creation leaves empty fields out', () => {
  expect(changesOf(undefined, { name: 'a', url: '', tags: [] })).toEqual([
    { field: 'name', before: undefined, after: 'a' },
  ]);
});

test.each([
  ['', 'empty'],
  [null, 'empty'],
  ['text', 'text'],
  [true, 'true'],
  [['a', { b: 1 }], 'a, {"b":1}'],
])('the value %j is shown as %j', (value, text) => {
  expect(inWords(value)).toBe(text);
});

import { expect, test } from 'vitest';
import type { Migration } from '../../src/store/engine/migrations.ts';
import { migrations } from '../../src/store/engine/migrations.ts';
import { LANDED, editedMigrations, hashOf } from './landedMigrations.ts';

test('[STO1] no migration that has landed was edited, removed or moved', () => {
  expect(editedMigrations(migrations, LANDED)).toEqual([]);
});

const [a, b] = ['a', 'b'].map((name): Migration => ({
  level: 1,
  name,
  statements: ({ key }) => [`create table ${name} (x ${key})`],
}));
if (a === undefined || b === undefined) throw new Error('there are two');
const landed = { a: hashOf(a), b: hashOf(b) };

test.each<readonly [string, readonly Migration[], string]>([
  ['the list as it landed', [a, b], ''],
  ['a new one at the end', [a, b, { ...a, name: 'c' }], 'c: is not in LANDED'],
  ['another statement', [a, { ...b, statements: () => ['create table b (y text)'] }], 'b: was edited after it landed'],
  ['another level', [{ ...a, level: 2 }, b], 'a: was edited after it landed'],
  ['one less', [a], 'b: was removed after it landed'],
  ['another order', [b, a], 'the order of the migrations was changed'],
])('in %s the guard of migrations finds %3$s', (_what, list, problem) => {
  const found = editedMigrations(list, landed).map((one) => one.slice(0, problem.length));
  expect(found.join()).toBe(problem);
});

import { expect, test } from 'vitest';
import { memoize } from './memoize.ts';

test('a value is made once for each object, even for objects that are equal', () => {
  const made: object[] = [];
  const sizeOf = memoize((list: readonly number[]) => made.push(list));
  const [one, other] = [[1], [1]];
  expect([sizeOf(one), sizeOf(other), sizeOf(one)]).toEqual([1, 2, 1]);
  expect(made).toHaveLength(2);
});

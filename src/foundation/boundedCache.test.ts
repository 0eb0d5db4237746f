import { expect, test } from 'vitest';
import { createBoundedCache } from './boundedCache.ts';

test('a bounded cache drops the entry that was set longest ago, even if it was read since', () => {
  const cache = createBoundedCache<string, number>(2);
  cache.set('a', 1);
  cache.set('b', 2);
  cache.get('a');
  cache.set('c', 3);
  expect(['a', 'b', 'c'].map((key) => cache.get(key))).toEqual([undefined, 2, 3]);
});

test('setting an entry again replaces its value and makes it the newest', () => {
  const cache = createBoundedCache<string, number>(2);
  cache.set('a', 1);
  cache.set('b', 2);
  expect(cache.set('a', 4)).toBe(4);
  cache.set('c', 3);
  expect(['a', 'b', 'c'].map((key) => cache.get(key))).toEqual([4, undefined, 3]);
});

test('getOrCreate creates a value once and returns the same one afterwards', () => {
  const cache = createBoundedCache<string, object>(2);
  const created = cache.getOrCreate('a', () => ({}));
  expect(cache.getOrCreate('a', () => ({}))).toBe(created);
});

test('getOrCreate respects the bound', () => {
  const cache = createBoundedCache<number, number>(2);
  for (let n = 0; n < 5; n += 1) cache.getOrCreate(n, () => n);
  expect([0, 1, 2, 3, 4].map((n) => cache.get(n))).toEqual([undefined, undefined, undefined, 3, 4]);
});

test('a deleted entry is gone and makes room for another', () => {
  const cache = createBoundedCache<string, number>(2);
  cache.set('a', 1);
  cache.set('b', 2);
  cache.delete('b');
  cache.set('c', 3);
  expect(['a', 'b', 'c'].map((key) => cache.get(key))).toEqual([1, undefined, 3]);
});

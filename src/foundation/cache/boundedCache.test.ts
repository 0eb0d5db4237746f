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

const LENGTHS = { maxBytes: 10, sizeOf: ({ length }: string) => length };

test('[REQ9] a cache that is bounded in bytes drops the oldest entries until the others fit', () => {
  const cache = createBoundedCache<string, string>(100, LENGTHS);
  for (const key of ['a', 'b', 'c']) cache.set(key, 'xxx');
  cache.set('d', 'xxxxxx');
  expect(['a', 'b', 'c', 'd'].map((key) => cache.get(key))).toEqual([undefined, undefined, 'xxx', 'xxxxxx']);
});

test('[REQ9] an entry that is larger than the bound is returned and not kept, and a replaced or deleted one does not count', () => {
  const cache = createBoundedCache<string, string>(100, LENGTHS);
  cache.set('a', 'x');
  expect(cache.set('a', 'x'.repeat(11))).toBe('x'.repeat(11));
  expect(cache.get('a')).toBeUndefined();
  for (let n = 0; n < 10; n += 1) cache.set('b', 'xxxxx');
  cache.set('c', 'xxxxx');
  expect([cache.get('b'), cache.get('c')]).toEqual(['xxxxx', 'xxxxx']);
  cache.delete('b');
  cache.delete('b');
  cache.set('d', 'xxxxx');
  expect([cache.get('c'), cache.get('d')]).toEqual(['xxxxx', 'xxxxx']);
});

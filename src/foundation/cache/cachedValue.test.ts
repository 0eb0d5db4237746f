import { expect, test } from 'vitest';
import { cacheValue } from './cachedValue.ts';

test('a cached value is fetched once until it is invalidated', async () => {
  let fetches = 0;
  const cached = cacheValue(async () => (fetches += 1));
  expect(await Promise.all([cached.read(), cached.read()])).toEqual([1, 1]);
  cached.invalidate();
  expect(await cached.read()).toBe(2);
});

test('a failed read is not cached', async () => {
  const results = [Promise.reject(new Error('away')), Promise.resolve('here')];
  const cached = cacheValue(() => results.shift() ?? Promise.reject(new Error('no more results')));
  await expect(cached.read()).rejects.toThrow('away');
  expect(await cached.read()).toBe('here');
});

test('a read that is invalidated before it ends is not cached', async () => {
  const results = [Promise.resolve('old'), Promise.resolve('new')];
  const cached = cacheValue(() => results.shift() ?? Promise.reject(new Error('no more results')));
  const first = cached.read();
  cached.invalidate();
  expect(await first).toBe('old');
  expect(await cached.read()).toBe('new');
});

import { expect, test } from 'vitest';
import { cacheFor } from './cacheFor.ts';

test('a value is kept for its time, and a failed read is not kept', async () => {
  let [now, reads, fails] = [0, 0, false];
  const read = cacheFor({ now: () => now }, 100, async () => {
    reads += 1;
    if (fails) throw new Error('no answer');
    return reads;
  });
  expect([await read(), await read()]).toEqual([1, 1]);
  now = 100;
  expect(await read()).toBe(2);
  [now, fails] = [300, true];
  await expect(read()).rejects.toThrow('no answer');
  fails = false;
  expect(await read()).toBe(4);
});

test('calls during a read that takes longer than the time share it, and the time counts from its end', async () => {
  let [now, reads] = [0, 0];
  let answer: (value: string) => void = () => undefined;
  const read = cacheFor({ now: () => now }, 100, () => {
    reads += 1;
    return new Promise<string>((resolve) => (answer = resolve));
  });
  const first = read();
  now = 500;
  const second = read();
  answer('slow');
  expect([await first, await second, reads]).toEqual(['slow', 'slow', 1]);
  now = 599;
  expect([await read(), reads]).toEqual(['slow', 1]);
  now = 600;
  void read();
  expect(reads).toBe(2);
});

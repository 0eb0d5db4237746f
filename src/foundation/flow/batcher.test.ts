import { describe, expect, test } from 'vitest';
import type { BatcherOptions } from './batcher.ts';
import { createBatcher } from './batcher.ts';

/** A batcher of numbers whose commits the test ends, one after the other. Each item's result is its double. */
function controlled(options: Omit<BatcherOptions<number, number>, 'commit'> = {}) {
  const batches: (readonly number[])[] = [];
  const open: { succeed(): void; fail(error: Error): void }[] = [];
  const add = createBatcher<number, number>({
    ...options,
    commit(items) {
      batches.push(items);
      return new Promise((resolve, reject) => {
        open.push({ succeed: () => resolve(items.map((item) => 2 * item)), fail: reject });
      });
    },
  });
  /** Ends the commit that is under way, and lets the next one begin. */
  async function end(error?: Error): Promise<void> {
    const current = open.shift();
    if (current === undefined) throw new Error('nothing is being committed');
    if (error === undefined) current.succeed();
    else current.fail(error);
    await new Promise(setImmediate);
  }
  return { add, batches, end };
}

test('the first item is committed at once, without waiting for others', () => {
  const { add, batches } = controlled();
  void add(1);
  expect(batches).toEqual([[1]]);
});

test('items that come during a commit are committed together after it, in the order of the calls', async () => {
  const { add, batches, end } = controlled();
  const results = [add(1), add(2), add(3)];
  expect(batches).toEqual([[1]]);
  await end();
  expect(batches).toEqual([[1], [2, 3]]);
  await end();
  expect(await Promise.all(results)).toEqual([2, 4, 6]);
});

test('an idle batcher starts again with the next item', async () => {
  const { add, batches, end } = controlled();
  const first = add(1);
  await end();
  await first;
  const second = add(2);
  await end();
  expect([await second, batches]).toEqual([4, [[1], [2]]]);
});

test('a batch does not exceed the maximum weight', async () => {
  const { add, batches, end } = controlled({ weightOf: (item) => item, maxWeight: 10 });
  const results = [1, 4, 6, 1, 9].map((item) => add(item));
  for (let n = 0; n < 3; n += 1) await end();
  await Promise.all(results);
  expect(batches).toEqual([[1], [4, 6], [1, 9]]);
});

test('an item that is heavier than the maximum is committed alone', async () => {
  const { add, batches, end } = controlled({ weightOf: (item) => item, maxWeight: 10 });
  const results = [1, 50, 2].map((item) => add(item));
  for (let n = 0; n < 3; n += 1) await end();
  await Promise.all(results);
  expect(batches).toEqual([[1], [50], [2]]);
});

describe('after a failed commit', () => {
  test('only the items of that batch are rejected', async () => {
    const { add, end } = controlled();
    const results = [add(1), add(2)].map((result) => result.catch(String));
    await end(new Error('lost'));
    await end();
    expect(await Promise.all(results)).toEqual(['Error: lost', 4]);
  });

  test('a batcher that stops rejects the items that wait and every later one with the same error', async () => {
    const { add, batches, end } = controlled({ stopsAfterFailure: true });
    const results = [add(1), add(2), add(3)].map((result) => result.catch(String));
    await end(new Error('lost'));
    expect(await Promise.all(results)).toEqual(['Error: lost', 'Error: lost', 'Error: lost']);
    await expect(add(4)).rejects.toThrow('lost');
    expect(batches).toEqual([[1]]);
  });
});

test('a commit that throws before it returns a promise rejects its items', async () => {
  const add = createBatcher<number, number>({
    commit() {
      throw new Error('refused');
    },
  });
  await expect(add(1)).rejects.toThrow('refused');
  await expect(add(2)).rejects.toThrow('refused');
});

test('a commit that returns too few results rejects its items instead of leaving them waiting', async () => {
  const add = createBatcher<number, number>({ commit: async () => [] });
  await expect(add(1)).rejects.toThrow('0 results for 1 items');
});

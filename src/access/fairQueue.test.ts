import { expect, test } from 'vitest';
import type { FairQueue } from './fairQueue.ts';
import { createFairQueue } from './fairQueue.ts';

/** Starts works that last until `finish` is called, and records the order of their starts. */
function recorded(queue: FairQueue) {
  const started: string[] = [];
  const running: (() => void)[] = [];
  return {
    started,
    begin: (key: string, name: string): Promise<void> =>
      queue.run(key, () => {
        started.push(name);
        return new Promise<void>((resolve) => running.push(resolve));
      }),
    /** Lets the oldest running work end, and the next one start. */
    async finish(): Promise<void> {
      running.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

test('[ACC5] the lines of different addresses take turns', async () => {
  const { begin, finish, started } = recorded(createFairQueue({ maxRunning: 1, maxWaiting: 100 }));
  const all = ['a1', 'a2', 'a3', 'a4'].map((name) => begin('a', name));
  all.push(begin('b', 'b1'), begin('c', 'c1'), begin('b', 'b2'));
  while (started.length < all.length) await finish();
  await finish();
  await Promise.all(all);
  expect(started).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
});

test('[ACC5] [DEC11] a flood of 230 sign-ins from one address does not keep another address out', async () => {
  const { begin, finish, started } = recorded(createFairQueue({ maxRunning: 2, maxWaiting: 200 }));
  const flood = Array.from({ length: 230 }, (_, n) => begin('flood', `flood ${n}`));
  const results = Promise.allSettled(flood);
  const other = begin('other', 'other');
  await finish();
  await finish();
  expect(started).toContain('other');
  while (started.length < 202) await finish();
  for (let n = 0; n < 2; n += 1) await finish();
  await other;
  const refused = (await results).flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  expect(refused).toHaveLength(29);
  expect(refused[0]).toMatchObject({ code: 'unavailable', retryAfterSeconds: 5 });
});

test('[DEC11] if every address waits once and all places are taken, the next is refused', async () => {
  const { begin, finish, started } = recorded(createFairQueue({ maxRunning: 1, maxWaiting: 3 }));
  const all = ['a', 'b', 'c', 'd'].map((key) => begin(key, key));
  await expect(begin('e', 'e')).rejects.toMatchObject({ code: 'unavailable' });
  while (started.length < all.length) await finish();
  await finish();
  await Promise.all(all);
  expect(started).toEqual(['a', 'b', 'c', 'd']);
});

test('a work that fails gives its place to the next', async () => {
  const queue = createFairQueue({ maxRunning: 1, maxWaiting: 10 });
  const failed = queue.run('a', () => Promise.reject(new Error('no')));
  const next = queue.run('a', async () => 'done');
  await expect(failed).rejects.toThrow('no');
  expect(await next).toBe('done');
});

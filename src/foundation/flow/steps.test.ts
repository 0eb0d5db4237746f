import { expect, test } from 'vitest';
import type { Steps } from './steps.ts';
import { allAtOnce, inTurns } from './steps.ts';

function* countTo(count: number, work: () => void): Steps<number> {
  for (let step = 0; step < count; step += 1) {
    work();
    yield;
  }
  return count;
}

test('steps that are done at once return their result', () => {
  let done = 0;
  expect(allAtOnce(countTo(3, () => (done += 1)))).toBe(3);
  expect(done).toBe(3);
});

test('other work goes on between the steps', async () => {
  let done = 0;
  const seen: number[] = [];
  const counted = inTurns(
    countTo(3, () => (done += 1)),
    0,
  );
  for (let turn = 0; turn < 5; turn += 1) {
    seen.push(done);
    await new Promise(setImmediate);
  }
  expect(await counted).toBe(3);
  expect(seen).toEqual(expect.arrayContaining([1, 2, 3]));
});

test('an error of a step is the error of the work', async () => {
  const failing = (): void => {
    throw new Error('broken');
  };
  expect(() => allAtOnce(countTo(1, failing))).toThrow('broken');
  await expect(inTurns(countTo(1, failing))).rejects.toThrow('broken');
});

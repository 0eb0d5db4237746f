import { expect, test } from 'vitest';
import { mapInParallel } from './mapInParallel.ts';

test('answers are in the order of the items, and at most eight calls are under way', async () => {
  let [running, most] = [0, 0];
  const answers = await mapInParallel([...Array.from({ length: 20 }).keys()], async (item) => {
    running += 1;
    most = Math.max(most, running);
    // Later items end first.
    for (let turn = item; turn < 20; turn += 1) await Promise.resolve();
    running -= 1;
    return item * 2;
  });
  expect([answers, most]).toEqual([Array.from({ length: 20 }, (_, n) => n * 2), 8]);
});

test('the first error ends the whole, and without items nothing is called', async () => {
  await expect(mapInParallel([1, 2], async (item) => Promise.reject(new Error(`item ${item}`)))).rejects.toThrow(
    'item 1',
  );
  expect(await mapInParallel([], async () => 1)).toEqual([]);
});

import { expect, test } from 'vitest';
import { endedBy } from './endedBy.ts';

test('a caller gets the shared answer, or its error', async () => {
  const { signal } = new AbortController();
  expect(await endedBy(Promise.resolve(1), signal)).toBe(1);
  expect(await endedBy(Promise.resolve(1), undefined)).toBe(1);
  await expect(endedBy(Promise.reject(new Error('no list')), signal)).rejects.toThrow('no list');
});

test('a caller that is stopped waits no longer, and the others get the answer', async () => {
  const [stopped, other] = [new AbortController(), new AbortController()];
  let answer: (value: number) => void = () => undefined;
  const shared = new Promise<number>((resolve) => {
    answer = resolve;
  });
  const [first, second] = [endedBy(shared, stopped.signal), endedBy(shared, other.signal)];
  stopped.abort();
  await expect(first).rejects.toThrow('the call was stopped');
  await expect(endedBy(shared, stopped.signal)).rejects.toThrow('the call was stopped');
  answer(1);
  expect(await second).toBe(1);
});

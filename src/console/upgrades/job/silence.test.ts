import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { watchSilence } from './silence.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a stream that is silent for five seconds is read every five seconds, and every two while that brings something', async () => {
  const news = [true, true, false, false];
  const readAt: number[] = [];
  const started = Date.now();
  const silence = watchSilence(async () => {
    readAt.push(Date.now() - started);
    return news[readAt.length - 1] ?? false;
  });
  await vi.advanceTimersByTimeAsync(19_500);
  expect(readAt).toEqual([5000, 7000, 9000, 14_000, 19_000]);
  silence.end();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(readAt.length).toBe(5);
});

test('a stream that delivers is not read, and a read during which something arrives is outdated', async () => {
  const outdated: boolean[] = [];
  const silence = watchSilence(async (isOutdated) => {
    silence.break();
    outdated.push(isOutdated());
    return true;
  });
  for (let second = 0; second < 20; second += 1) {
    await vi.advanceTimersByTimeAsync(1000);
    silence.break();
  }
  expect(outdated).toEqual([]);
  await vi.advanceTimersByTimeAsync(5000);
  expect(outdated).toEqual([true]);
  silence.end();
});

test('a read that fails is repeated', async () => {
  let reads = 0;
  const silence = watchSilence(() => {
    reads += 1;
    return Promise.reject(new Error('no answer'));
  });
  await vi.advanceTimersByTimeAsync(10_500);
  expect(reads).toBe(2);
  silence.end();
});

import { expect, test } from 'vitest';
import type { Clock } from '../clock.ts';
import type { LogFields } from '../log.ts';
import { silentLog } from '../log.ts';
import { startLoop } from './loop.ts';

const clock: Clock = { now: () => 0, sleep: () => new Promise((resolve) => setImmediate(resolve)) };

test('a turn that fails is logged, and the loop continues', async () => {
  const warnings: LogFields[] = [];
  const log = { ...silentLog, warn: (fields: LogFields) => void warnings.push(fields) };
  let turns = 0;
  await new Promise<void>((resolve) => {
    const turn = async (): Promise<void> => {
      turns += 1;
      if (turns === 1) throw new Error('first turn');
      void loop.stop().then(resolve);
    };
    const loop = startLoop({ name: 'test', pauseMs: 1, clock, log, turn });
  });
  expect(warnings).toEqual([{ loop: 'test', reason: 'first turn' }]);
});

test('a turn that fails again is logged once a minute, and at once if the reason differs', async () => {
  const reasons: string[] = [];
  const log = { ...silentLog, warn: ({ reason }: LogFields) => void reasons.push(String(reason)) };
  let now = 0;
  const failures = [
    { at: 0, reason: 'a' },
    { at: 59_999, reason: 'a' },
    { at: 60_000, reason: 'a' },
    { at: 60_001, reason: 'b' },
  ];
  await new Promise<void>((resolve) => {
    const turn = async (): Promise<void> => {
      const failure = failures.shift();
      if (failure === undefined) return void loop.stop().then(resolve);
      now = failure.at;
      throw new Error(failure.reason);
    };
    const loop = startLoop({ name: 'test', pauseMs: 1, clock: { ...clock, now: () => now }, log, turn });
  });
  expect(reasons).toEqual(['a', 'a', 'b']);
});

test('stop aborts the signal of the current turn and waits for its end', async () => {
  let hasEnded = false;
  const turn = async (signal: AbortSignal): Promise<void> => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    hasEnded = true;
  };
  await startLoop({ name: 'test', pauseMs: 1, clock, log: silentLog, turn }).stop();
  expect(hasEnded).toBe(true);
});

import { describe, expect, test } from 'vitest';
import type { CourierLoad, CourierState, CourierStep } from './courierState.ts';
import { INITIAL_STATE, after, nextStep, restMs } from './courierState.ts';

const NOW = 1_000_000;
const IDLE: CourierLoad = { runningAttempts: 0, finishedAttempts: 0, busySlots: 0, batchSize: 32 };
const POLLED: CourierState = { ...INITIAL_STATE, nextPollAt: NOW + 100 };

function kindAfter(lastStep: CourierStep['kind'], state: Partial<CourierState> = {}, load: Partial<CourierLoad> = {}) {
  return nextStep({ ...POLLED, lastStep, ...state }, { ...IDLE, ...load }, NOW).kind;
}

describe('a round of the courier', () => {
  test('a new courier polls first', () => {
    expect(nextStep(INITIAL_STATE, IDLE, NOW)).toEqual({ kind: 'poll' });
  });

  test('a round begins with a settlement when attempts have finished', () => {
    expect(kindAfter('rest', {}, { finishedAttempts: 1 })).toBe('settle');
    expect(kindAfter('gather', { gatherings: 1 }, { finishedAttempts: 1 })).toBe('settle');
  });

  test('no second settlement begins while one is under way', () => {
    expect(kindAfter('rest', { isSettling: true }, { finishedAttempts: 50 })).toBe('claim');
  });

  test('a settlement does not delay the claim that follows it', () => {
    expect(kindAfter('settle', { isSettling: true }, { finishedAttempts: 5 })).toBe('claim');
  });

  test('the courier polls when the time for it has come, and then claims', () => {
    expect(kindAfter('rest', { nextPollAt: NOW })).toBe('poll');
    expect(kindAfter('settle', { nextPollAt: NOW })).toBe('poll');
    expect(kindAfter('poll', { nextPollAt: NOW })).toBe('claim');
  });

  test('the courier polls every 250 ms', () => {
    const polled = { ...after.pollStarted(INITIAL_STATE, NOW), lastStep: 'rest' as const };
    expect(nextStep(polled, IDLE, NOW + 249).kind).toBe('claim');
    expect(nextStep(polled, IDLE, NOW + 250).kind).toBe('poll');
  });

  test('the courier polls when the clock was set back', () => {
    expect(kindAfter('rest', { nextPollAt: NOW + 251 })).toBe('poll');
  });

  test('a courier that claimed nothing rests until it is woken', () => {
    const claimed = after.claimEnded(POLLED, 0, NOW);
    expect(nextStep(claimed, IDLE, NOW)).toEqual({ kind: 'rest', isTroubled: false });
  });

  test('a new round begins after a rest', () => {
    expect(nextStep(after.rested(after.claimEnded(POLLED, 0, NOW)), IDLE, NOW).kind).toBe('claim');
  });
});

describe('gathering of outcomes', () => {
  const claimed = after.claimEnded(POLLED, 1, NOW);
  const busy = { ...IDLE, busySlots: 64, runningAttempts: 59, finishedAttempts: 5 };

  test('a courier with few attempts under way gathers for a short time after a claim', () => {
    expect(nextStep(claimed, { ...IDLE, busySlots: 63 }, NOW)).toEqual({ kind: 'gather', isLong: false });
  });

  test('a courier with many attempts under way gathers for a long time after a claim', () => {
    expect(nextStep(claimed, { ...IDLE, busySlots: 64 }, NOW)).toEqual({ kind: 'gather', isLong: true });
  });

  test('a busy courier gathers although it claimed nothing, if attempts have finished', () => {
    const state = after.claimEnded(POLLED, 0, NOW);
    expect(nextStep(state, busy, NOW)).toEqual({ kind: 'gather', isLong: true });
    expect(nextStep(state, { ...busy, finishedAttempts: 0 }, NOW).kind).toBe('rest');
    expect(nextStep(state, { ...busy, busySlots: 63 }, NOW).kind).toBe('rest');
  });

  test('a busy courier gathers up to four times while it has less than a full batch', () => {
    const steps: string[] = [];
    for (let state = after.gathered(claimed); steps.length < 4; state = after.gathered(state))
      steps.push(nextStep(state, busy, NOW).kind);
    expect(steps).toEqual(['gather', 'gather', 'gather', 'settle']);
  });

  test('a full batch ends the gathering, and so does an empty one', () => {
    const gathered = after.gathered(claimed);
    expect(nextStep(gathered, { ...busy, finishedAttempts: 32 }, NOW).kind).toBe('settle');
    expect(nextStep(gathered, { ...busy, finishedAttempts: 0 }, NOW).kind).toBe('claim');
  });

  test('the gathering ends when no attempt is under way, because no more outcomes come', () => {
    expect(nextStep(after.gathered(claimed), { ...busy, runningAttempts: 0 }, NOW).kind).toBe('settle');
    expect(nextStep(claimed, { ...busy, runningAttempts: 0 }, NOW).kind).toBe('settle');
  });

  test('a courier that is no longer busy gathers once', () => {
    expect(nextStep(after.gathered(claimed), { ...busy, busySlots: 10 }, NOW).kind).toBe('settle');
  });

  test('each settlement and each rest starts the count of gatherings again', () => {
    const gathered = after.gathered(after.gathered(claimed));
    expect(after.settleStarted(gathered).gatherings).toBe(0);
    expect(after.rested(gathered).gatherings).toBe(0);
  });

  test('a full batch is settled after a claim without gathering', () => {
    expect(nextStep(claimed, { ...busy, finishedAttempts: 32 }, NOW).kind).toBe('settle');
    expect(nextStep({ ...claimed, isSettling: true }, { ...busy, finishedAttempts: 32 }, NOW).kind).toBe('gather');
  });

  test('a busy courier claims when a settlement has freed slots, and not while it runs', () => {
    const settling = after.settleStarted(after.gathered(claimed));
    expect(nextStep(settling, busy, NOW).kind).toBe('gather');
    expect(nextStep(after.gathered(after.settleEnded(settling)), busy, NOW).kind).toBe('claim');
    expect(after.claimStarted(after.settleEnded(settling)).hasFreedSlots).toBe(false);
  });

  test('a busy courier claims while a settlement runs that takes long', () => {
    let state = after.settleStarted(after.gathered(claimed));
    const steps: string[] = [];
    for (let n = 0; n < 5; n += 1) {
      const { kind } = nextStep(state, { ...busy, finishedAttempts: 0 }, NOW);
      steps.push(kind);
      if (kind === 'gather') state = after.gathered(state);
    }
    expect(steps).toEqual(['gather', 'gather', 'gather', 'gather', 'claim']);
  });

  test('a busy courier that was woken from a rest claims also while a settlement runs', () => {
    expect(nextStep(after.rested({ ...claimed, isSettling: true }), busy, NOW).kind).toBe('claim');
  });
});

describe('a courier whose store has failed', () => {
  const troubled = after.storeFailed(POLLED, NOW);

  test('it rests for a second and cannot be woken', () => {
    const state = after.claimEnded(troubled, 0, NOW);
    expect(nextStep(state, IDLE, NOW)).toEqual({ kind: 'rest', isTroubled: true });
    expect(nextStep(state, IDLE, NOW + 999)).toEqual({ kind: 'rest', isTroubled: true });
    expect(nextStep(state, IDLE, NOW + 1000)).toEqual({ kind: 'rest', isTroubled: false });
    expect(restMs(state, NOW, NOW)).toBe(1000);
  });

  test('it does not gather, even if it has claimed', () => {
    expect(nextStep({ ...troubled, lastStep: 'claim', hasClaimed: true }, IDLE, NOW).kind).toBe('rest');
  });

  test('it settles nothing until the trouble is over', () => {
    const load = { ...IDLE, finishedAttempts: 5 };
    expect(nextStep(troubled, load, NOW + 50).kind).toBe('claim');
    expect(nextStep({ ...troubled, nextPollAt: NOW + 1100 }, load, NOW + 1000).kind).toBe('settle');
  });

  test('a clock that is set back does not prolong the trouble', () => {
    const state = after.claimEnded(troubled, 0, NOW - 60_000);
    expect(state.troubledUntil).toBe(NOW - 59_000);
  });
});

describe('the time of a rest', () => {
  test('a rest ends at the next poll or when a delivery is due, whichever is first', () => {
    expect(restMs(POLLED, Number.POSITIVE_INFINITY, NOW)).toBe(100);
    expect(restMs(POLLED, NOW + 30, NOW)).toBe(30);
  });

  test('a rest lasts at least 1 ms, so that the loop never spins', () => {
    expect(restMs(POLLED, NOW - 5000, NOW)).toBe(1);
  });
});

describe('a courier that is stopping', () => {
  const draining = after.stopRequested(POLLED);
  const aborting = after.patienceLost(draining);

  test('it stops at once when nothing is under way', () => {
    expect(nextStep(draining, IDLE, NOW)).toEqual({ kind: 'stop' });
  });

  test('it continues while attempts run, outcomes wait or a settlement is under way', () => {
    expect(nextStep(draining, { ...IDLE, runningAttempts: 1 }, NOW).kind).not.toBe('stop');
    expect(nextStep(draining, { ...IDLE, finishedAttempts: 1 }, NOW).kind).toBe('settle');
    expect(nextStep({ ...draining, isSettling: true }, IDLE, NOW).kind).not.toBe('stop');
  });

  test('it ends its round before it stops', () => {
    for (const lastStep of ['settle', 'poll', 'claim'] as const)
      expect(nextStep({ ...draining, lastStep }, IDLE, NOW).kind).not.toBe('stop');
  });

  test('it waits for a store that is away until its patience is lost', () => {
    const load = { ...IDLE, finishedAttempts: 3 };
    expect(nextStep(after.storeFailed(draining, NOW), load, NOW).kind).not.toBe('stop');
    expect(nextStep(after.storeFailed(aborting, NOW), load, NOW).kind).toBe('stop');
  });

  test('it still settles after its patience is lost, if the store answers', () => {
    expect(nextStep(aborting, { ...IDLE, finishedAttempts: 3 }, NOW).kind).toBe('settle');
  });

  test('it waits for running attempts even if the store is away', () => {
    const load = { ...IDLE, runningAttempts: 1 };
    expect(nextStep(after.storeFailed(aborting, NOW), load, NOW).kind).not.toBe('stop');
  });
});

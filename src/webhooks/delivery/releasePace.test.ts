import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { releasePace } from './releasePace.ts';

describe('a paced release', () => {
  const pace = releasePace(50);

  test('allows one delivery per step since its mark', () => {
    expect(pace.allowance(1000, 1000)).toBe(0);
    expect(pace.allowance(1000, 1019)).toBe(0);
    expect(pace.allowance(1000, 1020)).toBe(1);
    expect(pace.allowance(1000, 1500)).toBe(25);
  });

  test('accumulates no more than one second, however long nothing was claimed', () => {
    expect(pace.allowance(0, 1_000_000)).toBe(50);
  });

  test('starts from now if its mark is in the future, because the clock was set back', () => {
    expect(pace.allowance(9000, 1000)).toBe(0);
    expect(pace.nextAt(9000, 1000)).toBe(1020);
  });

  test('moves its mark by one step per claimed delivery', () => {
    expect(pace.advance(1000, 1500, 10)).toBe(1200);
    expect(pace.nextAt(1200, 1500)).toBe(1220);
  });

  test('never releases faster than its pace, whenever it is asked', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 500 }),
        fc.array(fc.integer({ min: 0, max: 2000 }), { maxLength: 50 }),
        (perSecond, pauses) => {
          const tested = releasePace(perSecond);
          let [now, mark, released] = [100_000, 100_000, 0];
          for (const pause of pauses) {
            now += pause;
            const claimed = tested.allowance(mark, now);
            mark = tested.advance(mark, now, claimed);
            released += claimed;
          }
          // The mark is rounded to milliseconds, which can gain half of one with each claim.
          const elapsed = now - 100_000 + pauses.length / 2;
          expect(released).toBeLessThanOrEqual((elapsed * perSecond) / 1000);
        },
      ),
    );
  });
});

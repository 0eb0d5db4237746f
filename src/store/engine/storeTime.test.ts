import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { postgresKind, placeForEachTest } from '../../../test/support/store/stores.ts';
import { MINUTE, SECOND, systemClock } from '../../foundation/clock.ts';
import { silentLog } from '../../foundation/log.ts';
import { openStore } from '../store.ts';
import { createStoreTime } from './storeTime.ts';

afterEach(() => void vi.restoreAllMocks());

test('[STO9] the clock follows the store, and small or uncertain differences are ignored', () => {
  const warnings: unknown[] = [];
  const log = { ...silentLog, warn: (fields: object) => void warnings.push(fields) };
  const clock = { ...systemClock, now: () => 1000 };
  const time = createStoreTime(clock, log);
  time.measured(1090, 1000, 1000);
  time.measured(1900, 1000, 2000);
  expect(time.skewMs()).toBe(0);
  time.measured(2500, 1000, 1200);
  expect([time.skewMs(), time.clock.now(), warnings]).toEqual([1400, 2400, []]);
  time.measured(601_000, 1000, 1000);
  expect([time.clock.now(), warnings]).toEqual([601_000, [{ seconds: -600 }]]);
  time.measured(601_050, 1000, 1000);
  expect(time.clock.now()).toBe(601_000);
});

describe.skipIf(!postgresKind.isHere)(`a store ${postgresKind.title}`, () => {
  const at = placeForEachTest(postgresKind);

  test.each([10 * MINUTE, -10 * MINUTE])(
    '[STO9] a replica whose clock is %i ms off uses the time of the store',
    async (off) => {
      const now = Date.now.bind(Date);
      vi.spyOn(Date, 'now').mockImplementation(() => now() + off);
      const store = await openStore(at.place(), { clock: systemClock, log: silentLog });
      onTestFinished(() => store.close());
      expect(Math.abs(store.clock.now() - now())).toBeLessThan(SECOND);
      expect(Math.abs(store.clockSkewMs() + off)).toBeLessThan(SECOND);
    },
  );
});

import { expect, test } from 'vitest';
import { MINUTE } from '../../foundation/clock.ts';
import { createTroubleLog } from './troubleLog.ts';

test('[WHK16] trouble is logged once a minute for each key, with the number of deliveries, also after the clock is set back', () => {
  const lines: unknown[] = [];
  let now = 10 * MINUTE;
  const trouble = createTroubleLog(
    { error: ({ key, deliveries }) => void lines.push([key, deliveries]) },
    { now: () => now },
  );
  const tell = (key: string) => trouble(key, { key }, 'trouble');
  tell('a');
  tell('a');
  tell('b');
  now += MINUTE;
  tell('a');
  now -= 5 * MINUTE;
  tell('a');
  expect(lines).toEqual([
    ['a', 1],
    ['b', 1],
    ['a', 2],
    ['a', 1],
  ]);
});

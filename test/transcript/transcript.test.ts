import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { playSeries } from '../support/transcript/play.ts';

/** `npm run transcript -- FILE` sets it. Then one play is written, and not compared. */
const { STEWARD_TRANSCRIPT: target } = process.env;

test('the series covers every operation, and two plays of it give the same transcript', async () => {
  const one = await playSeries();
  if (target !== undefined) writeFileSync(target, one);
  const other = target === undefined ? await playSeries() : one;
  expect(other.split('\n')).toEqual(one.split('\n'));
});

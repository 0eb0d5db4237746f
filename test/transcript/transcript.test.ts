import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { playSeries } from '../support/transcript/play.ts';

/** `npm run transcript -- FILE` sets it. */
const { STEWARD_TRANSCRIPT: target } = process.env;

if (target === undefined)
  test('two plays of the series give the same transcript', async () => {
    const [one, other] = [await playSeries(), await playSeries()];
    expect(other.split('\n')).toEqual(one.split('\n'));
  });
else
  test('the series covers every operation, and its transcript is written', async () => {
    const text = await playSeries();
    writeFileSync(target, text);
    expect(text).not.toBe('');
  });

import { expect, test } from 'vitest';
import type { ClosedWhen, Mode } from './mode.ts';
import { modeEvent, refuseWhenClosed } from './mode.ts';

const OPEN: Mode = { isReadOnly: false, message: '', setBy: 'hand' };
const BY_HAND: Mode = { isReadOnly: true, message: 'back at noon', setBy: 'hand' };
const BY_JOB: Mode = { ...BY_HAND, setBy: 'job' };

function refusal(closedWhen: ClosedWhen, mode: Mode): unknown {
  try {
    refuseWhenClosed(closedWhen, mode);
    return 'open';
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : error;
  }
}

test.each([
  ['readOnly', 'open', 'readOnly', 'readOnly'],
  ['jobRuns', 'open', 'open', 'readOnly'],
  ['upgradeRuns', 'open', 'open', 'conflict'],
  ['never', 'open', 'open', 'open'],
] as const)('an operation that is closed when %s is refused by the mode', (closedWhen, ...expected) => {
  expect([OPEN, BY_HAND, BY_JOB].map((mode) => refusal(closedWhen, mode))).toEqual(expected);
});

test('only entering and leaving read-only mode is announced', () => {
  expect(modeEvent(OPEN, BY_HAND)).toEqual([{ type: 'readOnly.entered', data: { message: 'back at noon' } }]);
  expect(modeEvent(BY_HAND, { ...BY_HAND, message: 'back at one' })).toEqual([]);
  expect(modeEvent(BY_HAND, OPEN)).toEqual([{ type: 'readOnly.left', data: { message: '' } }]);
});

import { expect, test } from 'vitest';
import type { Job } from '../answers.ts';
import type { FollowedJob } from './followedJob.ts';
import { withMessages, withOutage, withReturn } from './followedJob.ts';
import type { MessageGroup } from './groupedBySteps.ts';
import { groupedBySteps, latestFirst } from './groupedBySteps.ts';
import { possibleControls } from './possibleControls.ts';

const NOTHING: FollowedJob = { job: undefined, messages: [], outages: [], isOver: false };
const message = (number: number) => ({ number, code: 1, message: `message ${number}`, when: number });

test('a stream that is opened again sends all messages, and each is shown once', () => {
  const first = withMessages(NOTHING, [message(1), message(2)]);
  const again = withMessages(first, [message(1), message(2), message(3)]);
  expect(again.messages.map(({ number }) => number)).toEqual([1, 2, 3]);
  expect(withMessages(again, [message(3)])).toBe(again);
});

test('an outage lasts from the first error to the next opening, and an end is not one', () => {
  const away = withOutage(withOutage(NOTHING, 10), 20);
  expect(away.outages).toEqual([{ from: 10, to: undefined, after: 0 }]);
  const back = withReturn(away, 30);
  expect(back.outages).toEqual([{ from: 10, to: 30, after: 0 }]);
  expect(withOutage(withMessages(back, [message(1), message(2)]), 50).outages.at(-1)?.after).toBe(2);
  expect(withReturn(back, 40)).toBe(back);
  expect(withOutage({ ...NOTHING, isOver: true }, 10).outages).toEqual([]);
});

test.each([
  ['in_progress', {}, ['pause', 'cancel']],
  ['in_progress', { pastPointOfNoReturn: true }, ['pause']],
  ['in_progress', { pausing: true }, ['resume', 'cancel']],
  ['in_progress', { cancelling: true }, []],
  ['paused', {}, ['resume', 'cancel']],
  ['failed', {}, ['retry']],
  ['success', {}, []],
] as const)('a job that is %s with %o can be controlled by %o', (state, more, expected) => {
  const job = { pausing: false, cancelling: false, pastPointOfNoReturn: false, ...more, state } as unknown as Job;
  const possible = Object.entries(possibleControls(job)).filter(([, isPossible]) => isPossible);
  expect(possible.map(([name]) => name)).toEqual(expected);
});

const ofStep = (number: number, step?: string) => ({ ...message(number), ...(step !== undefined && { step }) });
const numbersOf = ({ step, messages }: MessageGroup) => [step, messages.map(({ number }) => number)];

test('messages are grouped by the step they belong to, and one that may come anywhere stays with the one before it', () => {
  const all = [ofStep(1, 'start'), ofStep(2, 'database'), ofStep(3), ofStep(4, 'database'), ofStep(5)];
  const groups = groupedBySteps(all);
  expect(groups.map(numbersOf)).toEqual([
    ['Start', [1]],
    ['Database', [2, 3, 4, 5]],
  ]);
  expect(groups.map(({ first }) => first)).toEqual([1, 2]);
});

test('the latest messages are shown from the newest, and the rest of a long group is left out', () => {
  const groups = groupedBySteps([ofStep(1, 'start'), ofStep(2, 'database'), ofStep(3, 'database'), ofStep(4, 'end')]);
  expect(latestFirst(groups, 2).map(numbersOf)).toEqual([
    ['End', [4]],
    ['Database', [3]],
  ]);
  expect(latestFirst(groups, Infinity).map(numbersOf)).toEqual([
    ['End', [4]],
    ['Database', [3, 2]],
    ['Start', [1]],
  ]);
});

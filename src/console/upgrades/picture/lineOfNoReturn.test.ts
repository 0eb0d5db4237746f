import { expect, test } from 'vitest';
import type { Job } from '../answers.ts';
import { lineOfNoReturn } from './lineOfNoReturn.ts';

/** A job with steps; those after `|` cannot be undone. */
function jobOf(text: string, state = 'in_progress'): Job {
  const [before = '', after = ''] = text.split('|').map((part) => part.trim());
  const stepsOf = (part: string, canBeUndone: boolean) =>
    part.split(' ').flatMap((step) => (step === '' ? [] : [{ step, canBeUndone }]));
  return {
    state,
    pastPointOfNoReturn: false,
    steps: [...stepsOf(before, true), ...stepsOf(after, false)],
  } as unknown as Job;
}

test('the line lies before the workloads if the database or the release itself cannot be rolled back', () => {
  expect(lineOfNoReturn(jobOf('database/engine | database/readWrite release patch'))?.place).toBe('before');
  expect(lineOfNoReturn(jobOf('licence | release'))?.place).toBe('before');
});

test('the line lies after the workloads if only a later step cannot be rolled back', () => {
  expect(lineOfNoReturn(jobOf('release patch | hook/search-indices'))?.place).toBe('after');
});

test('a job that can be rolled back to its end, and a job that has ended well, have no line', () => {
  expect(lineOfNoReturn(jobOf('patch'))).toBeUndefined();
  expect(lineOfNoReturn(jobOf('licence | release', 'success'))).toBeUndefined();
});

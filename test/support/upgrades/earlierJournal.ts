import type { Job, JournalEntry } from '../../../src/jobs/jobStore.ts';
import { newJob } from '../../../src/jobs/jobStore.ts';
import { PLAN, TASK } from './sampleJournal.ts';

// Entries, tasks and cursors in the shapes of builds before version 0.1.0. They must not follow a change of the types.
export const entry = (kind: string, fields: object = {}): JournalEntry => ({ kind, ...fields });
export const MODE = { isReadOnly: false, message: '', setBy: 'hand' };
export const FAILURE = { reason: 'It crashes.', lines: [], advice: 'Repair it.' };
export const PLANNED: readonly JournalEntry[] = [
  entry('accepted', { targets: [], alreadyDone: [], isPastReturn: false, modeBefore: MODE }),
  { kind: 'launched' },
  entry('planned', { plan: PLAN }),
  entry('stepStarted', { step: 'hook/backup', attempt: 0 }),
  entry('stepDone', { step: 'hook/backup', tookMs: 5, lines: [] }),
  entry('stepStarted', { step: 'database/readOnly', attempt: 0 }),
];
export const UNDO = entry('undoStarted', { attempt: 0, cause: { kind: 'failed', failure: FAILURE } });
export const ended = (outcome: object) => entry('ended', { outcome });
export const STOPPED = ended({ kind: 'stopped', failure: FAILURE, step: 'Set the primary to read-only' });

export function earlierJob(state: Job['state'], more: Partial<Job> = {}): Job {
  const cursor = { isPastReturn: false };
  return newJob({
    id: 'j1',
    kind: 'upgrade',
    task: TASK,
    cursor,
    total: 0,
    startedBy: 'ann',
    started: 1,
    state,
    ...more,
  });
}

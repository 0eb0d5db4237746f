import { expect, test } from 'vitest';
import { eachStore, placeForEachTest } from '../../../test/support/store/stores.ts';
import { PLANNED, STOPPED, UNDO, earlierJob, ended } from '../../../test/support/upgrades/earlierJournal.ts';
import { CHECKS_FAILED } from '../../../test/support/upgrades/sampleJournal.ts';
import type { Job, JournalEntry } from '../../jobs/jobStore.ts';
import { localActor } from '../../model/actor.ts';
import type { Store } from '../../store/store.ts';
import { jobDetails } from '../jobDetails.ts';
import { completeEarlierJobs } from './earlierJobs.ts';

const BY = localActor('test');

async function addJob({ upgrades }: Store, job: Job, entries: readonly JournalEntry[]): Promise<void> {
  const addJobChange = { job, entries, messages: [], usesUpload: undefined, addUpload: undefined };
  await upgrades.change(BY, () => ({ change: { addJob: addJobChange }, announce: [], audit: [] }));
}

eachStore((kind) => {
  const at = placeForEachTest(kind);

  /** Opens a store with one job of an earlier build, and returns what is shown of it. */
  async function shown(job: Job, entries: readonly JournalEntry[]) {
    const store = await at.open();
    await addJob(store, job, entries);
    await completeEarlierJobs(store.upgrades, store.jobs);
    const [found] = await store.upgrades.past(1);
    if (found === undefined) throw new Error('there is no job');
    const { reason, steps, pastPointOfNoReturn } = jobDetails(found);
    return { reason, steps: steps.map(({ state }) => state), pastPointOfNoReturn };
  }

  test.each<[string, Job, readonly JournalEntry[], string | null, readonly string[]]>([
    ['failed', earlierJob('failed'), [...PLANNED, STOPPED], 'failed', ['done', 'stopped', 'pending', 'pending']],
    ['paused', earlierJob('paused'), [...PLANNED, { kind: 'paused' }], null, ['done', 'running', 'pending', 'pending']],
    [
      'undone',
      earlierJob('undone'),
      [...PLANNED, UNDO, ended({ kind: 'undone' })],
      'failed',
      ['done', 'undone', 'pending', 'pending'],
    ],
    ['refused', earlierJob('undone'), [CHECKS_FAILED, UNDO, ended({ kind: 'undone' })], 'checksFailed', []],
  ])('[STO1] [UPG23] a job that an earlier build left %s shows its steps and its reason', async (_, job, ...rest) => {
    const [entries, reason, steps] = rest;
    expect(await shown(job, entries)).toEqual({ reason, steps, pastPointOfNoReturn: false });
  });

  test.each<[string, Job, string]>([
    ['succeeded', earlierJob('succeeded'), 'completed'],
    ['was rolled back', earlierJob('undone'), 'failed'],
    ['was cancelled', earlierJob('undone', { isCancelled: true }), 'cancelled'],
  ])('[STO1] [UPG23] a job without a journal that %s shows its reason', async (_, job, reason) => {
    expect(await shown(job, [])).toEqual({ reason, steps: [], pastPointOfNoReturn: false });
  });

  test('[STO1] a job that shows its steps is not changed', async () => {
    const cursor = { isPastReturn: true, steps: [], reason: 'checksFailed' };
    expect(await shown(earlierJob('failed', { cursor }), PLANNED)).toEqual({
      reason: 'checksFailed',
      steps: [],
      pastPointOfNoReturn: true,
    });
  });
});

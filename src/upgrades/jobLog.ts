import type { Log } from '../foundation/log.ts';
import type { Job, JobStore, JournalEntry, Progress } from '../jobs/jobStore.ts';
import type { Conclusion, UpgradeStore } from './ports/upgradeStore.ts';
import { jobDetails } from './jobDetails.ts';
import { shownState } from './values/jobStates.ts';

/** The entries that are worth a line in the log of the server, and the line. */
const LINES: Readonly<Record<string, string>> = {
  launched: 'the job has started',
  takenOver: 'this server has taken over the job and continues it',
  paused: 'the job is paused; the system stays in read-only mode',
  undoStarted: 'the job is being rolled back',
  ended: 'the job has ended',
};

interface Stores {
  readonly jobs: JobStore;
  readonly store: UpgradeStore;
}

/** Logs the start, a takeover, a pause and the end of a job, once they are written. */
export function logJobEvents({ jobs, store }: Stores, job: Job, log: Log): Stores {
  const { id, kind, startedBy } = job;

  function report(entries: readonly JournalEntry[], { state = job.state, cursor = job.cursor }: Progress): void {
    const { from, to, reason } = jobDetails({ ...job, state, cursor });
    for (const entry of entries) {
      const line = LINES[entry.kind];
      if (line === undefined) continue;
      const fields = { job: id, kind, from, to, startedBy, state: shownState(state).state, reason };
      if (reason === null || reason === 'completed') log.info(fields, line);
      else log.warn(fields, line);
    }
  }

  return {
    jobs: {
      ...jobs,
      async append(lease, decide) {
        let progress: Progress = {};
        const appended = await jobs.append(lease, (at) => (progress = decide(at)));
        if (appended === 'written') report(progress.entries ?? [], progress);
        return appended;
      },
    },
    store: {
      ...store,
      async conclude(lease, by, decide) {
        let conclusion: Conclusion | undefined;
        const appended = await store.conclude(lease, by, (facts, at) => {
          const decision = decide(facts, at);
          conclusion = decision.change;
          return decision;
        });
        const { progress = {} } = conclusion ?? {};
        if (appended === 'written') report(progress.entries ?? [], progress);
        return appended;
      },
    },
  };
}

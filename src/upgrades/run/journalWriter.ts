import { createBatcher } from '../../foundation/flow/batcher.ts';
import type { Clock } from '../../foundation/clock.ts';
import type { JobStore, Lease, Progress } from '../../jobs/jobStore.ts';
import { failureOf } from '../failure/failureOf.ts';
import type { DoneParts } from '../plan/estimate.ts';
import { remainingMs } from '../plan/estimate.ts';
import { OBJECTS_FORMAT } from '../values/plan.ts';
import type { Cursor } from '../values/task.ts';
import { applyEntries } from '../journal/describe.ts';
import type { Entry } from '../journal/entry.ts';
import type { RunState } from '../journal/runState.ts';
import { isWorkloadDone } from '../journal/runState.ts';
import { reasonOf, stepsOf } from '../journal/stepProgress.ts';

/** Thrown when the server stops or the job has another holder. The next holder continues from the journal. */
export class SessionStopped extends Error {
  override readonly name = 'SessionStopped';
}

export interface JournalWriterOptions {
  readonly jobs: JobStore;
  readonly lease: Lease;
  readonly initial: RunState;
  readonly clock: Clock;
  readonly parallel: number;
}

/** The columns of the job that show the state without reading the journal. */
export function projection(state: RunState): Progress {
  const { isPastReturn, phase, units, plan, end } = state;
  const incomplete = end?.kind === 'succeeded' ? (end.incomplete ?? []) : [];
  const left = incomplete.length === 0 ? {} : { incomplete };
  const failure = failureOf(state);
  const objects = plan?.format === OBJECTS_FORMAT ? { hasObjects: true as const } : {};
  const cursor: Cursor = { isPastReturn, steps: stepsOf(state), reason: reasonOf(state), failure, ...left, ...objects };
  return { cursor, phase, done: units, ...(plan === undefined ? {} : { total: plan.total }) };
}

/** Keeps the state of one session, and is its only way to write: entries are appended in the order of the calls. */
export function createJournalWriter({ jobs, lease, initial, clock, parallel }: JournalWriterOptions) {
  let state = initial;

  function endsAt(next: RunState): number | undefined {
    if (next.plan === undefined || next.undo !== undefined) return undefined;
    const done: DoneParts = {
      isStepDone: (step) => next.done.has(step),
      isWorkloadDone: (step, workload) => isWorkloadDone(next, step, workload),
    };
    return clock.now() + remainingMs(next.plan, done, parallel);
  }

  async function write(entries: readonly Entry[], change: Pick<Progress, 'state' | 'onlyIf'>): Promise<boolean> {
    let next = state;
    const appended = await jobs.append(lease, (at) => {
      const applied = applyEntries(state, entries, at);
      next = applied.state;
      return { ...projection(next), endsAt: endsAt(next), entries, messages: applied.messages, ...change };
    });
    if (appended === 'lost') throw new SessionStopped();
    if (appended === 'written') state = next;
    return appended === 'written';
  }

  // After a failed write it is unknown whether the entries are stored, so this session writes nothing more.
  const append = createBatcher<readonly Entry[], boolean>({
    commit: async (batch) => {
      const isWritten = await write(batch.flat(), {});
      return batch.map(() => isWritten);
    },
    stopsAfterFailure: true,
  });

  return {
    state: (): RunState => state,

    /** Entries of concurrent calls share a transaction. */
    async append(...entries: readonly Entry[]): Promise<void> {
      await append(entries);
    },

    /** Appends with a change of the job's state, or on a condition; false if it does not hold. No other write may be under way. */
    appendAlone: write,
  };
}

export type JournalWriter = ReturnType<typeof createJournalWriter>;

import { StewardError } from '../../foundation/errors.ts';
import type { Job } from '../../jobs/jobStore.ts';
import type { ControlOptions, Verb } from '../../jobs/jobs.ts';
import type { Actor } from '../../model/actor.ts';
import type { Decision } from '../../model/decision.ts';
import type { JobState } from '../../model/jobState.ts';
import { canBecome, isActive } from '../../model/jobState.ts';
import { modeEvent } from '../../model/mode.ts';
import { shownState } from '../values/jobStates.ts';
import { describeControl } from '../journal/describe.ts';
import type { ControlEntry } from '../journal/entry.ts';
import { jobFacts } from '../journal/runState.ts';
import type { LockedFacts, UpgradeChange } from '../ports/upgradeStore.ts';
import { upgradeEvent } from '../journal/upgradeEvent.ts';
import { isPastReturn, taskOf } from '../values/task.ts';
import { failedJob } from '../versions/currentVersion.ts';
import { jobMode } from './acceptJob.ts';

type Control = Decision<UpgradeChange>;
type JobEdit = Pick<NonNullable<UpgradeChange['controlJob']>, 'state' | 'isPausing' | 'isCancelled'>;

function refusal(job: Job, why: string): StewardError {
  return new StewardError('conflict', `The job ${job.id} is ${shownState(job.state).state}: ${why}`);
}

function decide(
  job: Job,
  by: Actor,
  verb: Verb,
  edit: JobEdit,
  entries: readonly ControlEntry[],
  more: { readonly change?: UpgradeChange; readonly announce?: Control['announce']; readonly after?: object } = {},
): Control {
  if (edit.state !== undefined && !canBecome(job.state, edit.state))
    throw refusal(job, `it cannot become ${shownState(edit.state).state}.`);
  const messages = entries.flatMap(describeControl);
  return {
    change: { controlJob: { job: job.id, ...edit, entries, messages }, ...more.change },
    announce: more.announce ?? [],
    audit: [
      {
        action: `${job.kind}.${verb}`,
        target: `job ${job.id}`,
        before: { state: job.state, by: by.name },
        after: more.after,
      },
    ],
  };
}

function pause(job: Job, by: Actor): Control {
  if (job.state !== 'running') throw refusal(job, 'only a job in progress can be paused.');
  if (job.isCancelled) throw refusal(job, 'it was cancelled and is about to be rolled back, so it cannot be paused.');
  return decide(job, by, 'pause', { isPausing: true }, []);
}

function resume(job: Job, by: Actor): Control {
  if (job.state !== 'paused' && !(job.state === 'running' && job.isPausing))
    throw refusal(job, 'only a paused job can be resumed.');
  const state: JobEdit = job.state === 'paused' ? { state: 'running' } : {};
  return decide(job, by, 'resume', { isPausing: false, ...state }, [{ kind: 'resumed', by: by.name }]);
}

function cancel(job: Job, by: Actor): Control {
  if (job.state === 'undoing') throw refusal(job, 'it is being rolled back already.');
  if (!isActive(job.state)) throw refusal(job, 'it has ended.');
  if (isPastReturn(job))
    throw refusal(
      job,
      `it is past the point of no return and cannot be rolled back. ${job.state === 'paused' ? 'Resume it to finish it.' : 'It can be paused.'}`,
    );
  const entries: readonly ControlEntry[] = job.isCancelled ? [] : [{ kind: 'cancelled', by: by.name }];
  const state: JobEdit = job.state === 'paused' ? { state: 'undoing' } : {};
  return decide(job, by, 'cancel', { isCancelled: true, isPausing: false, ...state }, entries);
}

/** A job that failed after the point of no return goes forward again. An undo that failed is continued. */
function retry(job: Job, by: Actor, facts: LockedFacts, { afterFailure }: ControlOptions): Control {
  const { latest, mode } = facts;
  if (job.state !== 'failed') throw refusal(job, 'only a failed job can be retried.');
  if (latest?.id !== job.id) throw refusal(job, 'another job has been started since.');
  if (failedJob(facts) === undefined) throw refusal(job, 'its failure was cleared by adopt. Start a new upgrade.');
  const state: JobState = isPastReturn(job) ? 'running' : 'undoing';
  const entered = jobMode(taskOf(job), job.kind);
  const started = state === 'running' ? [upgradeEvent('upgrade.started', jobFacts(job))] : [];
  return decide(
    job,
    by,
    'retry',
    { state, isCancelled: false, isPausing: false },
    [{ kind: 'retried', by: by.name, modeBefore: mode.setBy === 'failure' ? undefined : mode, afterFailure }],
    {
      change: { mode: entered },
      announce: [...started, ...modeEvent(mode, entered)],
      ...(afterFailure !== undefined && { after: { afterFailure } }),
    },
  );
}

const VERBS: Readonly<Record<Verb, (job: Job, by: Actor, facts: LockedFacts, options: ControlOptions) => Control>> = {
  pause,
  resume,
  cancel,
  retry,
};

/** Decides what a verb does to a job, in the transaction that writes it. */
export function controlJob(
  verb: Verb,
  facts: LockedFacts,
  id: string,
  by: Actor,
  options: ControlOptions = {},
): Control {
  const { latest } = facts;
  if (latest === undefined || latest.id !== id)
    throw new StewardError('conflict', `The job ${id} has ended, and another one was started since.`);
  return VERBS[verb](latest, by, facts, options);
}

import type { Actor } from '../../model/actor.ts';
import type { Decision } from '../../model/decision.ts';
import { StewardError } from '../../foundation/errors.ts';
import type { Job, Said } from '../../jobs/jobStore.ts';
import type { JobState } from '../../model/jobState.ts';
import { NEXT_STATES, isActive } from '../../model/jobState.ts';
import type { Verb } from '../../jobs/jobs.ts';
import { failedJob, jobMode } from './acceptUpgrade.ts';
import { CANCELLED, JOB_STATES, upgradeEvent } from '../run/finish.ts';
import { modeEvent } from '../../model/mode.ts';
import { message } from '../journal/messages.ts';
import { cursorOf, taskOf } from '../task.ts';
import type { LockedFacts, UpgradeChange } from '../ports/upgradeStore.ts';

type Controlled = Decision<UpgradeChange>;

function refuse(job: Job, why: string): StewardError {
  return new StewardError('conflict', `The job ${job.id} is ${JOB_STATES[job.state].state}: ${why}`);
}

function edited(
  job: Job,
  by: Actor,
  verb: Verb,
  edit: Omit<NonNullable<UpgradeChange['edit']>, 'job'>,
  messages: readonly Said[],
  more: { readonly change?: UpgradeChange; readonly announce?: Controlled['announce'] } = {},
): Controlled {
  const allowed: readonly JobState[] = NEXT_STATES[job.state];
  if (edit.state !== undefined && !allowed.includes(edit.state))
    throw refuse(job, `it cannot become ${JOB_STATES[edit.state].state}.`);
  return {
    change: { edit: { job: job.id, ...edit }, say: { job: job.id, messages }, ...more.change },
    announce: more.announce ?? [],
    audit: [{ action: `${job.kind}.${verb}`, target: `job ${job.id}`, before: { state: job.state, by: by.name } }],
  };
}

function pause(job: Job, by: Actor): Controlled {
  if (job.state !== 'running') throw refuse(job, 'only a job in progress can be paused.');
  return edited(job, by, 'pause', { isPausing: true }, []);
}

function resume(job: Job, by: Actor): Controlled {
  if (job.state !== 'paused' && !(job.state === 'running' && job.isPausing))
    throw refuse(job, 'only a paused job can be resumed.');
  const state: { readonly state?: JobState } = job.state === 'paused' ? { state: 'running' } : {};
  return edited(job, by, 'resume', { isPausing: false, ...state }, [message(2902, { who: by.name })]);
}

function cancel(job: Job, by: Actor): Controlled {
  if (job.state === 'undoing') throw refuse(job, 'everything is being put back already.');
  if (!isActive(job.state)) throw refuse(job, 'it has ended.');
  if (cursorOf(job).isPastReturn)
    throw refuse(job, 'the point of no return is behind it, so it can only go forward. It can be paused.');
  const said = [message(2903, { who: by.name }, `cancel#${cursorOf(job).attempt}`)];
  const cursor = { ...cursorOf(job), cause: CANCELLED };
  const state = job.state === 'paused' ? ({ state: 'undoing', cursor } as const) : {};
  return edited(job, by, 'cancel', { isCancelled: true, isPausing: false, ...state }, said);
}

/** What failed after the point of no return goes forward again; what could not be put back is put back again. */
function retry(job: Job, by: Actor, seen: LockedFacts): Controlled {
  const { latest, mode } = seen;
  if (job.state !== 'failed') throw refuse(job, 'only a job that has failed can be tried again.');
  if (latest?.id !== job.id) throw refuse(job, 'another job has been started since.');
  if (failedJob(seen) === undefined) throw refuse(job, 'the version that runs has been adopted since. Start anew.');
  const cursor = cursorOf(job);
  const next = { ...cursor, attempt: cursor.attempt + 1, modeBefore: mode };
  const state: JobState = cursor.isPastReturn ? 'running' : 'undoing';
  const entered = jobMode(taskOf(job), job.kind);
  const started = state === 'running' ? [upgradeEvent('upgrade.started', job)] : [];
  return edited(
    job,
    by,
    'retry',
    { state, isCancelled: false, isPausing: false, cursor: next },
    [message(2904, { who: by.name }), message(2165, {})],
    { change: { mode: entered }, announce: [...started, ...modeEvent(mode, entered)] },
  );
}

const VERBS: Readonly<Record<Verb, (job: Job, by: Actor, seen: LockedFacts) => Controlled>> = {
  pause,
  resume,
  cancel,
  retry,
};

/** In the transaction that writes it, on the job as it is then. */
export function controlled(verb: Verb, seen: LockedFacts, id: string, by: Actor): Controlled {
  const { latest } = seen;
  if (latest === undefined || latest.id !== id)
    throw new StewardError('conflict', `The job ${id} has ended, and another one was started since.`);
  return VERBS[verb](latest, by, seen);
}

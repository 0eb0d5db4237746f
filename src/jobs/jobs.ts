import type { Actor } from '../model/actor.ts';
import { hasRole, userOf } from '../model/actor.ts';
import { silentDecision } from '../model/decision.ts';
import { StewardError, noSuchId } from '../foundation/errors.ts';
import type { Job, JobStore } from './jobStore.ts';
import { isActive } from '../model/jobState.ts';
import type { AfterFailure } from '../model/mode.ts';

export type Verb = 'pause' | 'resume' | 'cancel' | 'retry';

export interface ControlOptions {
  /** Of a retry: replaces what the request of the job said; undefined leaves it. */
  readonly afterFailure?: AfterFailure | undefined;
}

/** How jobs of one kind are controlled and shown. Other kinds can only be cancelled. */
export interface JobControls {
  readonly control: (verb: Verb, by: Actor, job: Job, options?: ControlOptions) => Promise<void>;
  /** The part of the task that is shown. */
  readonly shown: (job: Job) => object;
}

export interface JobsOptions {
  readonly store: JobStore;
  readonly controls: Readonly<Record<string, JobControls>>;
}

/** A user has also started what the named tokens of the user have started. A named token knows only its own jobs. */
function isStarter({ name, isNamedToken }: Actor, { startedBy }: Pick<Job, 'startedBy'>): boolean {
  return name === (isNamedToken ? startedBy : userOf(startedBy));
}

/** Refuses to show a job to anyone but administrators and the starter of the job. */
export function refuseStranger(by: Actor, job: Pick<Job, 'startedBy'>): void {
  if (hasRole(by.role, 'administrator') || isStarter(by, job)) return;
  throw new StewardError('forbidden', 'Only administrators and the user who started it may see this job.');
}

/** Lists and controls durable jobs of any kind. */
export function createJobs({ store, controls }: JobsOptions) {
  async function find(id: string): Promise<Job> {
    const found = await store.job(id);
    return found ?? Promise.reject(noSuchId('job', id));
  }

  async function cancel(by: Actor, id: string): Promise<void> {
    await store.cancelJob(id, by, (found) => {
      if (found === undefined) throw noSuchId('job', id);
      if (!isActive(found.state))
        throw new StewardError('conflict', `The job ${id} has ended already (${found.state}).`);
      const note = { action: 'job.cancel', target: `job ${id}`, before: { done: found.done, total: found.total } };
      return found.isCancelled ? silentDecision('none') : silentDecision('cancel', note);
    });
  }

  return {
    /** Lists jobs, newest first. */
    list: (limit: number): Promise<readonly Job[]> => store.jobs(limit),

    find,

    /** Whether this actor has started the job; false for a job that does not exist. */
    async wasStartedBy(by: Actor, id: string): Promise<boolean> {
      const found = await store.job(id);
      return found !== undefined && isStarter(by, found);
    },

    shown: (job: Job): object => controls[job.kind]?.shown(job) ?? { task: job.task },

    async control(by: Actor, id: string, verb: Verb, options: ControlOptions = {}): Promise<void> {
      const job = await find(id);
      const ofKind = controls[job.kind];
      if (ofKind !== undefined) return ofKind.control(verb, by, job, options);
      if (verb !== 'cancel')
        throw new StewardError(
          'conflict',
          `A job of the kind ${job.kind} can only be cancelled; ${verb} is not available.`,
        );
      return cancel(by, id);
    },
  };
}

export type Jobs = ReturnType<typeof createJobs>;

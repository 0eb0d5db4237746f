import type { Job, JobMessage } from '../../../jobs/jobStore.ts';
import type { JobAnswer, MessageAnswer } from '../../../wire/answers/jobAnswers.ts';

export function messageView({ code, text, at }: JobMessage): MessageAnswer {
  return { code, message: text, when: at };
}

/** Returns the end of a job, or the estimate of it; a paused job has none. */
export function estimatedEnd({ state, ended, endsAt }: Job): number | null {
  return ended ?? (state === 'paused' ? null : (endsAt ?? null));
}

/** `details` are the fields that the kind of the job adds; they may replace `state`. */
export function jobView(job: Job, details: object): JobAnswer {
  const { id, kind, state, phase, isCancelled, isPausing, startedBy, started, ended } = job;
  return {
    id,
    kind,
    state,
    ...details,
    phase,
    progress: { done: job.done, total: job.total },
    pausing: isPausing,
    cancelling: isCancelled && state === 'running',
    startedBy,
    started,
    estimatedEnd: estimatedEnd(job),
    ended: ended ?? null,
  };
}

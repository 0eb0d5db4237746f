import type { Job, JobMessage } from '../../../jobs/jobStore.ts';
import { MESSAGES } from '../../../upgrades/journal/messages.ts';
import type { JobAnswer, JobProgressAnswer, MessageAnswer } from '../../../wire/answers/jobAnswers.ts';

export function messageView({ code, text, at }: JobMessage): MessageAnswer {
  return { code, message: text, when: at };
}

const STEPS: ReadonlyMap<number, string> = new Map(Object.values(MESSAGES).map(({ code, step }) => [code, step]));
/** The step of messages that may come anywhere. */
const ANYWHERE = 'any';

/** A message where jobs are shown: with the part of the job that it belongs to. */
export function steppedMessage(entry: JobMessage): MessageAnswer {
  const step = entry.code === undefined ? ANYWHERE : (STEPS.get(entry.code) ?? ANYWHERE);
  return step === ANYWHERE ? messageView(entry) : { ...messageView(entry), step };
}

/** Returns the end of a job, or the estimate of it; a paused job has none. */
function estimatedEnd({ state, ended, endsAt }: Job): number | null {
  return ended ?? (state === 'paused' ? null : (endsAt ?? null));
}

/** The fields that every job has, wherever it is shown. */
export function progressView(job: Job): JobProgressAnswer {
  const { state, phase, done, total, isCancelled, isPausing, startedBy, started, ended } = job;
  return {
    phase,
    progress: { done, total },
    startedAt: started,
    startedBy,
    estimatedEnd: estimatedEnd(job),
    endedAt: ended ?? null,
    pausing: isPausing,
    cancelling: isCancelled && (state === 'running' || state === 'undoing'),
  };
}

/** `details` are the fields that the kind of the job adds; they may replace `state`. */
export function jobView(job: Job, details: object): JobAnswer {
  const { id, kind, state } = job;
  return { id, kind, state, ...details, ...progressView(job) };
}

/** A job in a list, without its steps. */
export function listedJob<V extends Pick<JobAnswer, 'steps'>>(view: V): Omit<V, 'steps'> {
  const { steps: _, ...listed } = view;
  return listed;
}

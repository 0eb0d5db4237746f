import { SECOND } from '../../foundation/clock.ts';
import { StewardError } from '../../foundation/errors.ts';
import { newId } from '../../foundation/ids.ts';
import { isObject } from '../../foundation/schema/json.ts';
import type { JobKind } from '../../jobs/jobRunner.ts';
import type { Job, JobStore, Progress } from '../../jobs/jobStore.ts';
import { newJob } from '../../jobs/jobStore.ts';
import type { Actor } from '../../model/actor.ts';
import { silentDecision } from '../../model/decision.ts';
import type { WebhookStore } from '../ports/webhookStore.ts';

export const REDELIVERY = 'webhooks.redeliver';

interface RedeliveryTask {
  readonly webhook: string;
  readonly since: number;
}

function isTask(value: unknown): value is RedeliveryTask {
  return isObject(value) && typeof value['webhook'] === 'string' && typeof value['since'] === 'number';
}

/** `after` is the id of the last delivery that was requeued. */
function isCursor(value: unknown): value is { readonly after: number } {
  return isObject(value) && typeof value['after'] === 'number';
}

/** Each step requeues half a second's worth of deliveries, so that a receiver that has just recovered is not overloaded. */
const STEPS_PER_SECOND = 2;

/** Adds a job that redelivers the failed deliveries of a webhook. Refuses a second job for the same webhook. */
export async function addRedelivery(
  jobs: JobStore,
  by: Actor,
  task: RedeliveryTask,
  total: number,
  now: number,
): Promise<Job> {
  return jobs.addJob(by, (running) => {
    const other = running.find(
      (job) => job.kind === REDELIVERY && isTask(job.task) && job.task.webhook === task.webhook,
    );
    if (other !== undefined)
      throw new StewardError(
        'conflict',
        `The job ${other.id} sends the failed deliveries of this webhook again already. An administrator can watch or cancel it at system/jobs/${other.id}.`,
      );
    const started = { startedBy: by.name, started: now };
    const job = newJob({ id: newId(), kind: REDELIVERY, task, cursor: { after: 0 }, total, ...started });
    const after = { job: job.id, ...task, total };
    return silentDecision(job, { action: 'webhook.redeliverAll', target: `webhook ${task.webhook}`, after });
  });
}

export function redeliveryJob(store: WebhookStore, pacePerSecond: number, wake: () => void): JobKind {
  const limit = Math.max(1, Math.round(pacePerSecond / STEPS_PER_SECOND));

  function progressAfter({ done, total }: Pick<Job, 'done' | 'total'>, after: number, requeued: number): Progress {
    const progress = { cursor: { after }, done: done + requeued };
    if (requeued === limit) return progress;
    const text = `${progress.done} of ${total} are on their way again.`;
    return { ...progress, state: 'succeeded', messages: [{ code: undefined, text }] };
  }

  return {
    async step(job, lease) {
      const { task, cursor } = job;
      if (!isTask(task) || !isCursor(cursor)) throw new Error(`the job ${job.id} has a damaged task or cursor`);
      const requeued = await store.requeueFailed(lease, { ...task, after: cursor.after, limit }, (ids) =>
        progressAfter(job, ids.at(-1) ?? cursor.after, ids.length),
      );
      if (requeued === 'lost') return { kind: 'lost' };
      wake();
      return requeued.length === limit
        ? { kind: 'more', afterMs: (limit * SECOND) / pacePerSecond }
        : { kind: 'ended' };
    },
  };
}

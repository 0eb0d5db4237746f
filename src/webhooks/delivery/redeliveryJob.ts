import type { Actor } from '../../model/actor.ts';
import type { Clock } from '../../foundation/clock.ts';
import { SECOND } from '../../foundation/clock.ts';
import { StewardError } from '../../foundation/errors.ts';
import { newId } from '../../foundation/ids.ts';
import type { JobKind } from '../../jobs/jobRunner.ts';
import type { Job, JobStore, Progress } from '../../jobs/jobStore.ts';
import { newJob } from '../../jobs/jobStore.ts';
import type { WebhookStore } from '../ports/webhookStore.ts';

export const REDELIVERY = 'webhooks.redeliver';

interface Task {
  readonly webhook: string;
  readonly since: number;
}

/** Twice a second, half a second's worth: a receiver that has just recovered is not knocked over. */
const STEPS_PER_SECOND = 2;

export async function startRedelivery(
  needs: { readonly store: WebhookStore; readonly jobs: JobStore; readonly clock: Clock },
  by: Actor,
  task: Task,
): Promise<Job> {
  const total = await needs.store.countFailed(task.webhook, task.since);
  return needs.jobs.addJob(by, (running) => {
    const other = running.find(({ kind, task: its }) => kind === REDELIVERY && (its as Task).webhook === task.webhook);
    if (other !== undefined)
      throw new StewardError(
        'conflict',
        `The job ${other.id} sends the failed deliveries of this webhook again already. An administrator can watch or cancel it at system/jobs/${other.id}.`,
      );
    const job = newJob({
      id: newId(),
      kind: REDELIVERY,
      task,
      cursor: { after: 0 },
      total,
      startedBy: by.name,
      started: needs.clock.now(),
    });
    return {
      change: job,
      announce: [],
      audit: [
        { action: 'webhook.redeliverAll', target: `webhook ${task.webhook}`, after: { job: job.id, ...task, total } },
      ],
    };
  });
}

export function redeliveryJob(store: WebhookStore, pacePerSecond: number, wake: () => void): JobKind {
  const limit = Math.max(1, Math.round(pacePerSecond / STEPS_PER_SECOND));
  return {
    async step({ task, cursor, done, total }, lease) {
      const { webhook, since } = task as Task;
      const { after } = cursor as { readonly after: number };
      const progressOf = (ids: readonly number[]): Progress => {
        const last = ids.at(-1) ?? after;
        const sum = done + ids.length;
        if (ids.length === limit) return { cursor: { after: last }, done: sum };
        return {
          cursor: { after: last },
          done: sum,
          state: 'succeeded',
          say: [{ code: undefined, text: `${sum} of ${total} are on their way again.` }],
        };
      };
      const requeued = await store.requeueFailed(lease, { webhook, since, after, limit }, progressOf);
      if (requeued === 'lost') return { kind: 'lost' };
      wake();
      return requeued.length === limit
        ? { kind: 'more', afterMs: (limit * SECOND) / pacePerSecond }
        : { kind: 'ended' };
    },
  };
}

import { SECOND } from '../../foundation/clock.ts';
import { StewardError, noSuchId } from '../../foundation/errors.ts';
import { newId } from '../../foundation/ids.ts';
import { isObject } from '../../foundation/schema/json.ts';
import type { JobKind, JobKinds } from '../../jobs/jobRunner.ts';
import type { Job, JobStore, Progress } from '../../jobs/jobStore.ts';
import { newJob } from '../../jobs/jobStore.ts';
import type { Actor } from '../../model/actor.ts';
import { silentDecision } from '../../model/decision.ts';
import type { Scope } from '../../model/serviceKey.ts';
import type { SubscriptionDependencies } from '../subscriptions/subscriptions.ts';

const REDELIVERY = 'webhooks.redeliver';

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

/** `id` is a number, or the text that a client sent instead of one. */
export function noDelivery(id: number | string): StewardError {
  return noSuchId('delivery of this webhook', String(id));
}

function refuseSecondJob(running: readonly Job[], webhook: string): void {
  const other = running.find(({ kind, task }) => kind === REDELIVERY && isTask(task) && task.webhook === webhook);
  if (other !== undefined)
    throw new StewardError(
      'conflict',
      `The job ${other.id} is already sending the failed deliveries of this webhook again. Its starter or an administrator can watch or cancel it at system/jobs/${other.id}.`,
    );
}

export interface RedeliveryDependencies extends Pick<SubscriptionDependencies, 'store' | 'clock' | 'wake'> {
  readonly jobs: JobStore;
  readonly pacePerSecond: number;
  /** Refuses a webhook that does not exist in this scope. */
  readonly read: (scope: Scope, webhook: string) => Promise<unknown>;
}

/** Sends deliveries again: one at once, or all that failed as a job. */
export function createRedelivery({ store, clock, jobs, pacePerSecond, read, wake }: RedeliveryDependencies) {
  const limit = Math.max(1, Math.round(pacePerSecond / STEPS_PER_SECOND));

  function progressAfter({ done, total }: Pick<Job, 'done' | 'total'>, after: number, requeued: number): Progress {
    const progress = { cursor: { after }, done: done + requeued };
    if (requeued === limit) return progress;
    const text = `${progress.done} of ${total} deliveries are being sent again.`;
    return { ...progress, state: 'succeeded', messages: [{ code: undefined, text }] };
  }

  const step: JobKind['step'] = async (job, lease) => {
    const { task, cursor } = job;
    if (!isTask(task) || !isCursor(cursor)) throw new Error(`the job ${job.id} has a damaged task or cursor`);
    const requeued = await store.requeueFailed(lease, { ...task, after: cursor.after, limit }, (ids) =>
      progressAfter(job, ids.at(-1) ?? cursor.after, ids.length),
    );
    if (requeued === 'lost') return { kind: 'lost' };
    wake();
    return requeued.length === limit ? { kind: 'more', afterMs: (limit * SECOND) / pacePerSecond } : { kind: 'ended' };
  };

  return {
    jobKinds: { [REDELIVERY]: { step } } satisfies JobKinds,

    /** Sends a settled delivery again. A delivered one stays delivered, whatever the receiver answers. */
    async redeliver(by: Actor, scope: Scope, webhook: string, id: number): Promise<void> {
      await read(scope, webhook);
      await store.redeliver(webhook, id, by, (found) => {
        if (found === undefined) throw noDelivery(id);
        if (found.isHeld)
          throw new StewardError(
            'conflict',
            `The delivery ${id} is held because the webhook is deactivated. Activate the webhook to send it.`,
          );
        if (found.isUnderWay)
          throw new StewardError(
            'conflict',
            `The delivery ${id} is still pending. It can be sent again when it has ended.`,
          );
        const note = { action: 'webhook.redeliver', target: `webhook ${webhook}`, after: { delivery: id } };
        return silentDecision('requeue', note);
      });
      wake();
    },

    /** Starts a job that sends all deliveries again that failed since a time. With `dryRun` it only counts them. */
    async redeliverAll(
      by: Actor,
      scope: Scope,
      webhook: string,
      since: number,
      dryRun: boolean,
    ): Promise<Job | number> {
      await read(scope, webhook);
      const total = await store.countFailed(webhook, since);
      if (dryRun) return total;
      return jobs.addJob(by, (running) => {
        refuseSecondJob(running, webhook);
        const task: RedeliveryTask = { webhook, since };
        const started = { startedBy: by.name, started: clock.now() };
        const job = newJob({ id: newId(), kind: REDELIVERY, task, cursor: { after: 0 }, total, ...started });
        const after = { job: job.id, ...task, total };
        return silentDecision(job, { action: 'webhook.redeliverAll', target: `webhook ${webhook}`, after });
      });
    },
  };
}

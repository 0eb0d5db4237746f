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
import type { ResendPage, ResendSelection } from '../ports/resend.ts';
import type { WebhookWithLedger } from '../ports/webhookStore.ts';
import type { SubscriptionDependencies } from '../subscriptions/subscriptions.ts';

/** The kind of the job, by the state of the deliveries that it sends again. */
const JOB_KINDS = { failed: 'webhooks.redeliver', held: 'webhooks.redeliverHeld' } as const;
const STATES = ['failed', 'held'] as const satisfies readonly (keyof typeof JOB_KINDS)[];
const AUDITED = { failed: 'webhook.redeliverAll', held: 'webhook.redeliverHeld' } as const;

interface RedeliveryTask {
  readonly webhook: string;
  readonly since: number;
  /** See `ResendQuery`. */
  readonly deactivatedAt?: number;
}

function isTask(value: unknown): value is RedeliveryTask {
  return (
    isObject(value) &&
    typeof value['webhook'] === 'string' &&
    typeof value['since'] === 'number' &&
    ['number', 'undefined'].includes(typeof value['deactivatedAt'])
  );
}

/** `after` is the id of the last delivery that was looked at. */
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
  for (const state of STATES) {
    const isSame = ({ kind, task }: Job): boolean =>
      kind === JOB_KINDS[state] && isTask(task) && task.webhook === webhook;
    const other = running.find(isSame);
    if (other !== undefined)
      throw new StewardError(
        'conflict',
        `The job ${other.id} is already sending the ${state} deliveries of this webhook again. Its starter or an administrator can watch or cancel it at system/jobs/${other.id}.`,
      );
  }
}

function progressAfter({ done, total }: Pick<Job, 'done' | 'total'>, page: ResendPage): Progress {
  const progress = { cursor: { after: page.after }, done: done + page.requeued };
  if (!page.isLast) return progress;
  const text = `${progress.done} of ${total} deliveries are being sent again.`;
  return { ...progress, state: 'succeeded', messages: [{ code: undefined, text }] };
}

export interface RedeliveryDependencies extends Pick<SubscriptionDependencies, 'store' | 'clock' | 'wake'> {
  readonly jobs: JobStore;
  readonly pacePerSecond: number;
  /** Refuses a webhook that does not exist in this scope. */
  readonly read: (scope: Scope, webhook: string) => Promise<WebhookWithLedger>;
}

/** Sends deliveries again: one at once, or all that failed or are held as a job. */
export function createRedelivery({ store, clock, jobs, pacePerSecond, read, wake }: RedeliveryDependencies) {
  const limit = Math.max(1, Math.round(pacePerSecond / STEPS_PER_SECOND));

  const stepOf =
    (state: ResendSelection['state']): JobKind['step'] =>
    async (job, lease) => {
      const { task, cursor } = job;
      if (!isTask(task) || !isCursor(cursor)) throw new Error(`the job ${job.id} has a damaged task or cursor`);
      const { webhook, since, deactivatedAt } = task;
      const query = { webhook, state, since, deactivatedAt, after: cursor.after, limit, requestedAt: job.started };
      const page = await store.requeue(lease, query, (done) => progressAfter(job, done));
      if (page === 'lost') return { kind: 'lost' };
      wake();
      return page.isLast ? { kind: 'ended' } : { kind: 'more', afterMs: (page.requeued * SECOND) / pacePerSecond };
    };

  /** Starts a job that sends all deliveries in a state again. With `dryRun` it only counts them. */
  const redeliverAllIn =
    (state: ResendSelection['state']) =>
    async (by: Actor, scope: Scope, id: string, since: number, dryRun: boolean): Promise<Job | number> => {
      const { webhook } = await read(scope, id);
      const total = await store.countResendable({ webhook: id, state, since });
      if (dryRun) return total;
      return jobs.addJob(by, (running) => {
        refuseSecondJob(running, id);
        const inactive = webhook.active ? {} : { deactivatedAt: webhook.deactivation?.at ?? 0 };
        const task: RedeliveryTask = { webhook: id, since, ...inactive };
        const started = { startedBy: by.name, started: clock.now() };
        const job = newJob({ id: newId(), kind: JOB_KINDS[state], task, cursor: { after: 0 }, total, ...started });
        const after = { job: job.id, ...task, total };
        return silentDecision(job, { action: AUDITED[state], target: `webhook ${id}`, after });
      });
    };

  return {
    jobKinds: {
      [JOB_KINDS.failed]: { step: stepOf('failed') },
      [JOB_KINDS.held]: { step: stepOf('held') },
    } satisfies JobKinds,

    /**
     * Sends a settled or held delivery again, also while its webhook is inactive. A delivered one stays delivered, whatever the
     * receiver answers; a held one that fails stays held.
     */
    async redeliver(by: Actor, scope: Scope, webhook: string, id: number): Promise<void> {
      await read(scope, webhook);
      await store.redeliver(webhook, id, by, (found) => {
        if (found === undefined) throw noDelivery(id);
        if (found.isUnderWay)
          throw new StewardError(
            'conflict',
            `The delivery ${id} is still pending. It can be sent again when its attempts have ended.`,
          );
        const note = { action: 'webhook.redeliver', target: `webhook ${webhook}`, after: { delivery: id } };
        return silentDecision('requeue', note);
      });
      wake();
    },

    /** Sends all deliveries again that failed since a time. */
    redeliverAll: redeliverAllIn('failed'),

    /** Sends all deliveries that are held, and were accepted since a time, without activating the webhook. */
    redeliverHeld: redeliverAllIn('held'),
  };
}

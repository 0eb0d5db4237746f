// The front door of the webhooks area. An event becomes one delivery for each webhook that subscribes to it; a delivery has one
// or more attempts; deliveries that fail count in the webhook's failure window, which may deactivate it.
import { cacheValue } from '../foundation/cachedValue.ts';
import type { Clock } from '../foundation/clock.ts';
import { DAY, SECOND } from '../foundation/clock.ts';
import { StewardError, invalidField } from '../foundation/errors.ts';
import { newId } from '../foundation/ids.ts';
import type { Log } from '../foundation/log.ts';
import type { Sealer } from '../foundation/sealer.ts';
import type { JobKinds } from '../jobs/jobRunner.ts';
import type { Job, JobStore } from '../jobs/jobStore.ts';
import type { Actor } from '../model/actor.ts';
import type { Scope } from '../model/serviceKey.ts';
import type { Courier } from './delivery/courier.ts';
import { startCourier } from './delivery/courier.ts';
import { createDeliveryCounters } from './delivery/deliveryCounters.ts';
import { TEST_EVENT, bodyOf, isOwnType, newEventId } from './delivery/event.ts';
import { createEventAcceptance } from './delivery/eventAcceptance.ts';
import { REDELIVERY, redeliveryJob, startRedelivery } from './delivery/redeliveryJob.ts';
import { createSchedule } from './delivery/schedule.ts';
import { signedRequest } from './delivery/signedRequest.ts';
import { createUnsealedWebhooks, unsealWebhook } from './delivery/unsealedWebhooks.ts';
import { createWakeSignal } from './delivery/wakeSignal.ts';
import type { DeliveryPolicy, PolicyChange } from './policy/policy.ts';
import { changedPolicy } from './policy/policy.ts';
import type { PreviewedDeactivation } from './policy/policyPreview.ts';
import { previewPolicy } from './policy/policyPreview.ts';
import type { AttemptOutcome, Receiver } from './ports/receiver.ts';
import type { Delivery, DeliveryQuery, Webhook, WebhookStore } from './ports/webhookStore.ts';
import type { DeliveryState } from '../model/deliveryState.ts';
import type { Acceptance, AcceptedEvent, NewEvent } from './ports/acceptance.ts';
import { createSubscriptions } from './subscriptions/subscriptions.ts';

const PRUNE_BATCH = 500;
const PAUSE_BETWEEN_PRUNES_MS = 50;
const MAX_PREVIEWED_FAILURES = 200_000;

export interface WebhooksDependencies {
  readonly store: WebhookStore;
  readonly jobs: JobStore;
  readonly receiver: Receiver;
  readonly sealer: Sealer;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits: { readonly total: number; readonly perWebhook: number };
  readonly pacePerSecond: number;
  readonly retentionDays: number;
}

export interface SubmittedEvent {
  readonly type: string;
  readonly payload: string;
  readonly eventId: string | undefined;
}

/** Creates the webhooks area: subscriptions, publishing, delivery and the delivery policy. */
export function createWebhooks(dependencies: WebhooksDependencies) {
  const { store, jobs, receiver, sealer, clock, log, pacePerSecond } = dependencies;
  const policy = cacheValue(() => store.policy());
  const schedule = createSchedule({ ...dependencies.limits, batchSize: store.batchSize });
  const wakeSignal = createWakeSignal(clock);
  const counters = createDeliveryCounters();
  const unsealedWebhooks = createUnsealedWebhooks(store, sealer);
  const { wake } = wakeSignal;

  function onAccepted({ events, dueWebhooks }: Acceptance): void {
    counters.accepted(events.filter(({ isRepeat }) => !isRepeat).length);
    for (const webhook of dueWebhooks) schedule.markDue(webhook, clock.now());
    if (dueWebhooks.length > 0) wake();
  }

  const accept = createEventAcceptance({ store, onAccepted });
  const subscriptions = createSubscriptions({ store, receiver, sealer, clock, policy: policy.read, wake });
  const { read } = subscriptions;

  return {
    ...subscriptions,
    policy: policy.read,
    jobKinds: { [REDELIVERY]: redeliveryJob(store, pacePerSecond, wake) } satisfies JobKinds,
    counters,
    inFlight: schedule.busySlots,

    /** Returns for how long the oldest due delivery has waited. */
    async overdueSeconds(): Promise<number> {
      let oldest = clock.now();
      for (const due of (await store.dueTimes()).values()) oldest = Math.min(oldest, due);
      return (clock.now() - oldest) / SECOND;
    },

    /** Drops what is cached about webhooks and the policy, after a change here or on another replica. */
    invalidate(): void {
      policy.invalidate();
      wake();
    },

    /** Changes the delivery policy. Fields that are undefined keep their values. */
    async changePolicy(by: Actor, change: PolicyChange): Promise<DeliveryPolicy> {
      return store.changePolicy(by, (found) => {
        const next = changedPolicy(found, change);
        return {
          change: next,
          announce: [],
          audit: [{ action: 'webhooks.settings', target: 'webhook settings', before: found, after: next }],
        };
      });
    },

    /** Lists the webhooks that a changed policy would have deactivated, from the failures on record. */
    async preview(change: PolicyChange): Promise<readonly (PreviewedDeactivation & { readonly webhook: Webhook })[]> {
      const changed = changedPolicy(await policy.read(), change);
      const previewed = previewPolicy(changed, await store.failures(MAX_PREVIEWED_FAILURES));
      const found = await Promise.all(previewed.map(({ id }) => store.webhook(id)));
      return previewed.flatMap((one, n) => {
        const webhook = found[n]?.webhook;
        return webhook === undefined ? [] : [{ ...one, webhook }];
      });
    },

    /** Sends a test event now and returns the receiver's answer. The ledger does not count it. */
    async test(scope: Scope, id: string): Promise<AttemptOutcome & { readonly messageId: string }> {
      const { webhook } = await read(scope, id);
      const event: NewEvent = {
        id: newEventId(),
        scope,
        eventId: undefined,
        type: TEST_EVENT,
        at: clock.now(),
        payload: JSON.stringify({ webhookId: id, name: webhook.name }),
      };
      const timeoutMs = (await policy.read()).notificationTimeOutInSeconds * SECOND;
      const message = { id: event.id, attempt: 1, body: bodyOf(event, 0) };
      const request = signedRequest(unsealWebhook(sealer, webhook), message, { now: clock.now(), timeoutMs });
      const outcome = await receiver.send(request);
      return { ...outcome, messageId: event.id };
    },

    /** Accepts events of a service or of the system. Resolves when they are durable. */
    async publish(scope: Scope, events: readonly SubmittedEvent[]): Promise<readonly AcceptedEvent[]> {
      const own = events.find(({ type }) => isOwnType(type));
      if (own !== undefined)
        throw invalidField('event', `${own.type} is an event of Steward's own; choose another type`);
      const at = clock.now();
      return accept(events.map((event) => ({ id: newEventId(), scope, at, ...event })));
    },

    /** Lists deliveries. Pending deliveries of an inactive webhook have the state `held`. */
    async deliveries(
      scope: Scope,
      query: Omit<DeliveryQuery, 'state'> & { readonly state: DeliveryState | 'held' | undefined },
    ): Promise<readonly Delivery[]> {
      const { webhook } = await read(scope, query.webhook);
      const { state } = query;
      if (state === (webhook.active ? 'held' : 'pending')) return [];
      return store.deliveries({ ...query, state: state === 'held' ? 'pending' : state });
    },

    /** Returns a delivery with its attempts. */
    async delivery(scope: Scope, webhook: string, id: number) {
      await read(scope, webhook);
      const found = await store.delivery(webhook, id);
      return found ?? Promise.reject(new StewardError('notFound', `There is no delivery ${id} of this webhook.`));
    },

    /** Sends a settled delivery again. */
    async redeliver(by: Actor, scope: Scope, webhook: string, id: number): Promise<void> {
      await read(scope, webhook);
      await store.redeliver(webhook, id, by, (found) => {
        if (found === undefined) throw new StewardError('notFound', `There is no delivery ${id} of this webhook.`);
        if (found.state === 'pending')
          throw new StewardError('conflict', `The delivery ${id} is still on its way; it is not sent twice.`);
        const note = { action: 'webhook.redeliver', target: `webhook ${webhook}`, after: { delivery: id } };
        return { change: 'requeue', announce: [], audit: [note] };
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
      if (dryRun) return store.countFailed(webhook, since);
      return startRedelivery({ store, jobs, clock }, by, { webhook, since });
    },

    /** Removes settled deliveries after their retention time, in small transactions so that deliveries do not wait. */
    async runHousekeeping(signal: AbortSignal): Promise<void> {
      const before = clock.now() - dependencies.retentionDays * DAY;
      while (!signal.aborted && (await store.prune(before, PRUNE_BATCH)))
        await clock.sleep(PAUSE_BETWEEN_PRUNES_MS, signal);
    },

    /** Starts the loop that delivers. */
    startCourier: (): Courier =>
      startCourier({
        store,
        receiver,
        unsealedWebhooks,
        policy: policy.read,
        schedule,
        wakeSignal,
        counters,
        clock,
        log,
        owner: newId(),
        pacePerSecond,
      }),
  };
}

export type Webhooks = ReturnType<typeof createWebhooks>;

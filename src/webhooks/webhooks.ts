import type { Actor } from '../model/actor.ts';
import type { Clock } from '../foundation/clock.ts';
import { DAY, SECOND } from '../foundation/clock.ts';
import { StewardError, invalidField } from '../foundation/errors.ts';
import { newId } from '../foundation/ids.ts';
import type { Log } from '../foundation/log.ts';
import { cacheValue } from '../foundation/cachedValue.ts';
import type { Sealer } from '../foundation/sealer.ts';
import type { JobKinds } from '../jobs/jobRunner.ts';
import type { Job, JobStore } from '../jobs/jobStore.ts';
import { createAcceptance } from './delivery/eventAcceptance.ts';
import type { Courier } from './delivery/courier.ts';
import { startCourier } from './delivery/courier.ts';
import { TEST_EVENT, bodyOf, isOwnType, newEventId } from './delivery/event.ts';
import { createOutgoing, signedRequest } from './delivery/signedRequest.ts';
import type { DeliveryPolicy, PolicyChange } from './policy/policy.ts';
import { changedPolicy } from './policy/policy.ts';
import type { PreviewedDeactivation } from './policy/policyPreview.ts';
import { previewPolicy } from './policy/policyPreview.ts';
import type { AttemptOutcome, Receiver } from './ports/receiver.ts';
import { REDELIVERY, redeliveryJob, startRedelivery } from './delivery/redeliveryJob.ts';
import { createSchedule } from './delivery/schedule.ts';
import { createSubscriptions } from './subscriptions/subscriptions.ts';
import { createDeliveryCounters } from './delivery/deliveryCounters.ts';
import type {
  AcceptedEvent,
  Delivery,
  DeliveryQuery,
  DeliveryState,
  NewEvent,
  Webhook,
  WebhookStore,
} from './ports/webhookStore.ts';
import type { Scope } from '../model/serviceKey.ts';

const PRUNED_AT_ONCE = 500;
const PAUSE_BETWEEN_PRUNES_MS = 50;
const FAILURES_LOOKED_AT = 200_000;

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

/** Event → delivery → attempt → failure window. */
export function createWebhooks(needs: WebhooksDependencies) {
  const { store, jobs, receiver, sealer, clock, log } = needs;
  const policy = cacheValue(() => store.policy());
  const schedule = createSchedule({ ...needs.limits, atOnce: store.batchSize });
  const counters = createDeliveryCounters();
  const outgoing = createOutgoing({ store, sealer });
  const accept = createAcceptance({
    store,
    onAccepted(wake, events) {
      counters.accepted(events);
      for (const webhook of wake) schedule.due(webhook, clock.now());
    },
  });

  const subscriptions = createSubscriptions({
    store,
    receiver,
    sealer,
    clock,
    policy: policy.read,
    nudge: schedule.nudge,
  });
  const { read } = subscriptions;

  return {
    ...subscriptions,
    policy: policy.read,
    jobKinds: { [REDELIVERY]: redeliveryJob(store, needs.pacePerSecond, schedule.nudge) } satisfies JobKinds,
    counters,
    inFlight: schedule.inFlight,

    /** For how long the oldest delivery that should have gone out has waited. */
    async overdueSeconds(): Promise<number> {
      let oldest = clock.now();
      for (const due of (await store.dueTimes()).values()) oldest = Math.min(oldest, due);
      return (clock.now() - oldest) / SECOND;
    },

    /** Something about webhooks or their policy has changed, here or on another replica. */
    invalidate(): void {
      policy.invalidate();
      schedule.nudge();
    },

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

    /** Over the failures that are on record. */
    async preview(change: PolicyChange): Promise<readonly (PreviewedDeactivation & { readonly webhook: Webhook })[]> {
      const wanted = changedPolicy(await policy.read(), change);
      const found = previewPolicy(wanted, await store.failures(FAILURES_LOOKED_AT));
      const seen = await Promise.all(found.map(({ id }) => store.webhook(id)));
      return found.flatMap((one, n) => {
        const webhook = seen[n]?.webhook;
        return webhook === undefined ? [] : [{ ...one, webhook }];
      });
    },

    /** Sends a test event now, outside of the ledger, and tells what the receiver said. */
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
      const outcome = await receiver.send(
        signedRequest(outgoing.open(webhook), message, { now: clock.now(), timeoutMs }),
      );
      return { ...outcome, messageId: event.id };
    },

    async publish(scope: Scope, events: readonly SubmittedEvent[]): Promise<readonly AcceptedEvent[]> {
      const own = events.find(({ type }) => isOwnType(type));
      if (own !== undefined)
        throw invalidField('event', `${own.type} is an event of Steward's own; choose another type`);
      const at = clock.now();
      return accept(events.map((event) => ({ id: newEventId(), scope, at, ...event })));
    },

    /** The pending ones of a webhook that is inactive are held. */
    async deliveries(
      scope: Scope,
      query: Omit<DeliveryQuery, 'state'> & { readonly state: DeliveryState | 'held' | undefined },
    ): Promise<readonly Delivery[]> {
      const { webhook } = await read(scope, query.webhook);
      const { state } = query;
      if (state === (webhook.active ? 'held' : 'pending')) return [];
      return store.deliveries({ ...query, state: state === 'held' ? 'pending' : state });
    },

    async delivery(scope: Scope, webhook: string, id: number) {
      await read(scope, webhook);
      const found = await store.delivery(webhook, id);
      return found ?? Promise.reject(new StewardError('notFound', `There is no delivery ${id} of this webhook.`));
    },

    async redeliver(by: Actor, scope: Scope, webhook: string, id: number): Promise<void> {
      await read(scope, webhook);
      await store.redeliver(webhook, id, by, (found) => {
        if (found === undefined) throw new StewardError('notFound', `There is no delivery ${id} of this webhook.`);
        if (found.state === 'pending')
          throw new StewardError('conflict', `The delivery ${id} is still on its way; it is not sent twice.`);
        const note = { action: 'webhook.redeliver', target: `webhook ${webhook}`, after: { delivery: id } };
        return { change: 'requeue', announce: [], audit: [note] };
      });
      schedule.nudge();
    },

    /** With `dryRun` it only counts. */
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

    /** Removes what is past its time, a little at a time, so that deliveries never wait for it. */
    async runHousekeeping(signal: AbortSignal): Promise<void> {
      const before = clock.now() - needs.retentionDays * DAY;
      while (!signal.aborted && (await store.prune(before, PRUNED_AT_ONCE)))
        await clock.sleep(PAUSE_BETWEEN_PRUNES_MS, signal);
    },

    startCourier: (): Courier =>
      startCourier({
        store,
        receiver,
        outgoing,
        policy: policy.read,
        schedule,
        counters,
        clock,
        log,
        owner: newId(),
        pacePerSecond: needs.pacePerSecond,
      }),
  };
}

export type Webhooks = ReturnType<typeof createWebhooks>;

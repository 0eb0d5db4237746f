// The front door of the webhooks area. An event becomes one delivery for each webhook that subscribes to it; a delivery has one
// or more attempts; deliveries that fail count in the webhook's failure window, which may deactivate it.
import { createActivity } from './activity/activity.ts';
import { webhookAttention } from './activity/attention.ts';
import type { AttentionItem } from '../model/attention.ts';
import type { ActivityStore } from './ports/activityStore.ts';
import { cacheValue } from '../foundation/cache/cachedValue.ts';
import { DAY, SECOND } from '../foundation/clock.ts';
import { noSuchId } from '../foundation/errors.ts';
import type { Log } from '../foundation/log.ts';
import type { Actor } from '../model/actor.ts';
import { silentDecision } from '../model/decision.ts';
import type { Scope } from '../model/serviceKey.ts';
import { isSystem, scopeInWords } from '../model/serviceKey.ts';
import type { Courier } from './delivery/courier.ts';
import { startCourier } from './delivery/courier.ts';
import { createDeliveryCounters } from './delivery/deliveryCounters.ts';
import { createAcceptanceShare, createUtilization } from './events/acceptanceShare.ts';
import { TEST_EVENT, bodyOf, createEventAcceptance, newEvent, newEventId, repeatableEventId } from './events/event.ts';
import { otherContent, refuseOwnTypes } from './events/eventRefusals.ts';
import { maskHeaders } from './delivery/maskedOutcome.ts';
import type { RedeliveryDependencies } from './delivery/redelivery.ts';
import { createRedelivery, noDelivery } from './delivery/redelivery.ts';
import { createSchedule } from './delivery/schedule.ts';
import { signedRequest } from './delivery/signedRequest.ts';
import { createUnsealedWebhooks, unsealWebhook } from './subscriptions/unsealedWebhooks.ts';
import { createWakeSignal } from './delivery/wakeSignal.ts';
import type { DeliveryPolicy, PolicyChange } from '../model/entity/deliveryPolicy.ts';
import { DELIVERY_POLICY } from '../model/entity/deliveryPolicy.ts';
import { changedValues } from '../model/entity/field.ts';
import type { PreviewedDeactivation } from './policy/policyPreview.ts';
import { previewPolicy } from './policy/policyPreview.ts';
import type { SendOutcome } from './ports/receiver.ts';
import type { DeliveryPage, DeliveryQuery, EventWithDeliveries, Webhook, WebhookStore } from './ports/webhookStore.ts';
import type { DeliveryState } from '../model/deliveryState.ts';
import type { Acceptance, AcceptedEvent, NewEvent } from './ports/acceptance.ts';
import type { SubscriptionDependencies } from './subscriptions/subscriptions.ts';
import { createSubscriptions } from './subscriptions/subscriptions.ts';

const PRUNE_BATCH = 500;
const PAUSE_BETWEEN_PRUNES_MS = 50;
const MAX_PREVIEWED_FAILURES = 200_000;
const MOST_TROUBLED = 500;

export interface WebhooksDependencies
  extends Omit<SubscriptionDependencies, 'policy' | 'wake'>, Pick<RedeliveryDependencies, 'jobs' | 'pacePerSecond'> {
  readonly log: Log;
  readonly store: WebhookStore & ActivityStore;
  readonly limits: { readonly total: number; readonly perWebhook: number };
  readonly retentionDays: number;
  /** The id of the installation. */
  readonly installation: string;
}

/** Creates the webhooks area: subscriptions, publishing, delivery and the delivery policy. */
export function createWebhooks(dependencies: WebhooksDependencies) {
  const { store, receiver, sealer, clock } = dependencies;
  const policy = cacheValue(() => store.policy());
  const schedule = createSchedule({ ...dependencies.limits, batchSize: store.batchSize });
  const wakeSignal = createWakeSignal(clock);
  const counters = createDeliveryCounters();
  let courier: Courier | undefined;
  /** The tests of webhooks that are under way, with the id of the webhook. */
  const tests = new Map<AbortController, string>();

  function onAccepted({ results, dueWebhooks }: Acceptance): void {
    const events = results.flatMap((result) => (result.kind === 'accepted' ? result.events : []));
    counters.accepted(events.filter(({ isRepeat }) => !isRepeat).length);
    for (const webhook of dueWebhooks) schedule.markDue(webhook, clock.now());
    if (dueWebhooks.length > 0) wakeSignal.wake();
  }

  const { oldestDueAt } = schedule;
  const inTurn = createAcceptanceShare({ clock, oldestDueAt, utilization: createUtilization() });
  async function endTestsOfRemoved(): Promise<void> {
    for (const [removal, id] of tests) if ((await store.webhook(id)) === undefined) removal.abort();
  }

  async function missingKeys() {
    return (await store.sealedWith()).filter(({ keyMark }) => !sealer.hasKeyOf(keyMark));
  }

  const accept = createEventAcceptance(store, inTurn, onAccepted);
  const subscriptions = createSubscriptions({ ...dependencies, policy: policy.read, wake: wakeSignal.wake });

  return {
    ...subscriptions,
    ...createRedelivery({ ...dependencies, wake: wakeSignal.wake, read: subscriptions.read }),
    policy: policy.read,
    activity: createActivity({ store, clock, policy: policy.read }),
    counters,
    inFlight: schedule.busySlots,

    /** Returns for how long the oldest due delivery has waited. */
    async overdueSeconds(): Promise<number> {
      let oldest = clock.now();
      for (const due of (await store.dueTimes()).values()) oldest = Math.min(oldest, due);
      return (clock.now() - oldest) / SECOND;
    },

    /** Counts the webhooks whose secrets cannot be read here, because their master key is missing. Nothing is sent for them. */
    async unreadableSecrets(): Promise<number> {
      return (await missingKeys()).reduce((sum, { webhooks }) => sum + webhooks, 0);
    },

    /** Returns an item for each webhook that needs a person. */
    async attention(): Promise<readonly AttentionItem[]> {
      const marks = (await missingKeys()).map(({ keyMark }) => keyMark);
      const found = await store.troubledWebhooks(marks, MOST_TROUBLED);
      const current = await policy.read();
      return found.flatMap((one) => webhookAttention(subscriptions.summary(one, current)) ?? []);
    },

    /** Drops what is cached about webhooks and the policy, after a change here or on another replica, and what a removed one sends. */
    invalidate(): void {
      policy.invalidate();
      wakeSignal.wake();
      // If the store is away, the requests end by themselves.
      courier?.withdrawRemoved().catch(() => undefined);
      endTestsOfRemoved().catch(() => undefined);
    },

    /** Changes the delivery policy. Fields that are undefined keep their values. */
    async changePolicy(by: Actor, change: PolicyChange): Promise<DeliveryPolicy> {
      return store.changePolicy(by, (before) => {
        const after = changedValues(DELIVERY_POLICY, before, change);
        return silentDecision(after, { action: 'webhooks.settings', target: 'webhook settings', before, after });
      });
    },

    /** Lists the webhooks that a changed policy would have deactivated, from the failures on record. */
    async preview(change: PolicyChange): Promise<readonly (PreviewedDeactivation & { readonly webhook: Webhook })[]> {
      const changed = changedValues(DELIVERY_POLICY, await policy.read(), change);
      const previewed = previewPolicy(changed, await store.failures(MAX_PREVIEWED_FAILURES));
      const found = await Promise.all(previewed.map(({ id }) => store.webhook(id)));
      return previewed.flatMap((one, n) => {
        const webhook = found[n]?.webhook;
        return webhook === undefined ? [] : [{ ...one, webhook }];
      });
    },

    /** Sends a test event now and returns the receiver's answer. The ledger does not count it. */
    async test(scope: Scope, id: string): Promise<SendOutcome & { readonly messageId: string }> {
      const { webhook } = await subscriptions.read(scope, id);
      const event = newEvent(scope, TEST_EVENT, { webhookId: id, name: webhook.name }, clock.now());
      const timeoutMs = (await policy.read()).notificationTimeOutInSeconds * SECOND;
      const message = { id: event.id, attempt: 1, body: bodyOf(event, 0) };
      const unsealed = unsealWebhook(sealer, webhook);
      const request = signedRequest(unsealed, message, { now: clock.now(), timeoutMs });
      const removal = new AbortController();
      tests.set(removal, id);
      const outcome = await receiver.send(request, removal.signal).finally(() => tests.delete(removal));
      return { ...maskHeaders(outcome, unsealed.signing.headers), messageId: event.id };
    },

    /** Accepts events of a service or of the system, all or none. Resolves when they are durable. */
    async publish(
      scope: Scope,
      events: readonly Pick<NewEvent, 'type' | 'payload' | 'eventId'>[],
      isBatch = events.length > 1,
    ): Promise<readonly AcceptedEvent[]> {
      refuseOwnTypes(events, isBatch);
      const at = clock.now();
      const idOf = (eventId: string | undefined): string =>
        eventId === undefined ? newEventId() : repeatableEventId(dependencies.installation, scope, eventId);
      const result = await accept(events.map((event) => ({ id: idOf(event.eventId), scope, at, ...event })));
      if (result.kind === 'conflict') throw otherContent(result.conflict, isBatch);
      return result.events;
    },

    /** Lists deliveries. Pending deliveries of an inactive webhook have the state `held`. */
    async deliveries(
      scope: Scope,
      query: Omit<DeliveryQuery, 'state'> & { readonly state: DeliveryState | 'held' | undefined },
    ): Promise<DeliveryPage> {
      const { webhook } = await subscriptions.read(scope, query.webhook);
      const { state } = query;
      if (state === (webhook.active ? 'held' : 'pending')) return { deliveries: [], next: undefined };
      return store.deliveries({ ...query, state: state === 'held' ? 'pending' : state });
    },

    /** Returns an event of a service, or for the system any event, with its deliveries. */
    async event(scope: Scope, id: string): Promise<EventWithDeliveries> {
      const found = await store.event(isSystem(scope) ? 'all' : scope, id);
      return found ?? Promise.reject(noSuchId(`event of ${scopeInWords(scope)}`, id));
    },

    /** Returns a delivery with its attempts. */
    async delivery(scope: Scope, webhook: string, id: number) {
      await subscriptions.read(scope, webhook);
      return (await store.delivery(webhook, id)) ?? Promise.reject(noDelivery(id));
    },

    /** Removes settled deliveries after their retention time, in small transactions so that deliveries do not wait. */
    async runHousekeeping(signal: AbortSignal): Promise<void> {
      const before = clock.now() - dependencies.retentionDays * DAY;
      while (!signal.aborted && (await store.prune(before, PRUNE_BATCH)))
        await clock.sleep(PAUSE_BETWEEN_PRUNES_MS, signal);
    },

    /** Starts the loop that delivers. */
    startCourier() {
      const unsealedWebhooks = createUnsealedWebhooks(store, sealer);
      courier = startCourier({
        ...dependencies,
        unsealedWebhooks,
        policy: policy.read,
        schedule,
        wakeSignal,
        counters,
      });
      return courier;
    },
  };
}

export type Webhooks = ReturnType<typeof createWebhooks>;

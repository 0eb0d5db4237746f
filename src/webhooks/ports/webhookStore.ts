// The port between the webhooks area and the store: webhooks with their ledgers, accepted events, and deliveries from
// claim to settlement. The area owns the rules; the store calls those that need its locks as functions (`SettleRules`).
import type { WebhookDetails } from '../../model/entity/webhook.ts';
import type { Scope } from '../../model/serviceKey.ts';
import type { Actor } from '../../model/actor.ts';
import type { DeliveryState, ResendableState } from '../../model/deliveryState.ts';
import type { Decision } from '../../model/decision.ts';
import type { Lease, Progress } from '../../jobs/jobStore.ts';
import type { FailureHistory } from '../policy/failureWindow.ts';
import type { DeliveryPolicy } from '../../model/entity/deliveryPolicy.ts';
import type { AcceptRules, Acceptance, AnnouncementRules, NewEvent } from './acceptance.ts';
import type { AttemptOutcome } from './receiver.ts';
import type { LongestWaits } from './longestWaits.ts';
import type { ReleasePace } from './releasePace.ts';
import type { ResendPage, ResendQuery, ResendSelection } from './resend.ts';

export interface Webhook extends WebhookDetails {
  readonly id: string;
  readonly scope: Scope;
  /** Signing keys and custom headers, encrypted with the master key. */
  readonly sealed: string;
  readonly owner: string;
  readonly created: number;
  readonly modified: number;
  readonly revision: number;
  readonly deactivation: { readonly reason: string; readonly at: number } | undefined;
  readonly failures: FailureHistory;
}

/**
 * Delivery counts of one webhook. Accepted deliveries that are neither delivered, failed nor discarded are pending, or held
 * while the webhook is inactive.
 */
export interface Ledger {
  readonly accepted: number;
  readonly delivered: number;
  readonly failed: number;
  readonly discarded: number;
  readonly last:
    | { readonly at: number; readonly kind: string; readonly status: number | undefined; readonly reason: string }
    | undefined;
  readonly lastSuccess: number | undefined;
  /** Until then the receiver asked for no request. A time in the past has no meaning. */
  readonly pausedUntil: number | undefined;
}

export interface WebhookWithLedger {
  readonly webhook: Webhook;
  readonly ledger: Ledger;
}

export type WebhookChange =
  | { readonly kind: 'none' }
  | { readonly kind: 'put'; readonly webhook: Webhook; readonly paceRelease?: true }
  | { readonly kind: 'remove' };

/** A delivery that belongs to this replica until its lease ends. Settling with an outdated fence has no effect. */
export interface ClaimedDelivery {
  readonly delivery: number;
  readonly webhook: number;
  /** The revision of the webhook. */
  readonly revision: number;
  readonly fence: number;
  readonly attempts: number;
  readonly messageId: string;
  readonly body: string;
}

/** How many deliveries of one webhook may be claimed. */
export interface ClaimQuota {
  readonly number: number;
  readonly limit: number;
}

export interface ClaimRequest {
  readonly now: number;
  readonly leaseUntil: number;
  readonly owner: string;
  readonly pace: ReleasePace;
  readonly quotas: readonly ClaimQuota[];
}

export interface ClaimResult {
  readonly claimed: readonly ClaimedDelivery[];
  /** When webhooks are due again, if the claim knows it: because of a pace or a pause. */
  readonly dueAgain: ReadonlyMap<number, number>;
}

export interface FinishedAttempt extends Pick<ClaimedDelivery, 'delivery' | 'webhook' | 'fence'> {
  /** Where it was sent: the URL of the webhook may change later. */
  readonly url: string;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly outcome: AttemptOutcome;
}

export type AttemptVerdict =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'retry'; readonly at: number }
  | { readonly kind: 'failed' }
  /** A held delivery was sent again in vain. It is held as before; if its webhook is active by now, it is due at this time. */
  | { readonly kind: 'held'; readonly at: number }
  /** The receiver answered that it no longer exists. */
  | { readonly kind: 'gone' };

/** Deliveries of one webhook that failed in one settlement. */
export interface NewFailures {
  readonly webhook: Webhook;
  readonly policy: DeliveryPolicy;
  /** When each delivery failed, without deliveries that were sent again. */
  readonly failedAt: readonly number[];
  readonly now: number;
  readonly isGone: boolean;
}

/** Rules that the store applies inside the settling transaction. Nothing else changes the deliveries and ledgers meant in it. */
export interface SettleRules {
  verdict(
    attempted: FinishedAttempt,
    /** `attempts` includes this one. `resendOf` is the state that it had if it is sent again. */
    seen: {
      readonly attempts: number;
      readonly receiverSignals: boolean;
      readonly resendOf: ResendableState | undefined;
    },
    policy: DeliveryPolicy,
  ): AttemptVerdict;
  /** Until when the receiver asked for no request; undefined if it did not ask, or may not. */
  pause(attempted: FinishedAttempt, seen: { readonly receiverSignals: boolean }): number | undefined;
  afterFailures(seen: NewFailures): Decision<Webhook>;
}

export interface SettledDelivery {
  readonly delivery: number;
  readonly webhook: number;
  readonly verdict: AttemptVerdict | 'lost';
}

export interface Settlement {
  readonly settled: readonly SettledDelivery[];
  /** The webhooks that were deactivated. */
  readonly deactivated: readonly Webhook[];
}

export interface Delivery {
  readonly id: number;
  /** The id and the name of its webhook. */
  readonly webhook: string;
  readonly webhookName: string;
  readonly isHeld: boolean;
  /** Whether an attempt runs or is due without another request; also of a delivered or held one that is sent again. */
  readonly isUnderWay: boolean;
  readonly messageId: string;
  readonly eventId: string | undefined;
  readonly eventType: string;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly created: number;
  readonly settledAt: number | undefined;
  /** The time of the next attempt; undefined when none is due. */
  readonly dueAt: number | undefined;
}

export type ReturnedClaim = Pick<ClaimedDelivery, 'delivery' | 'fence'>;

export interface DeliveryPage {
  readonly deliveries: readonly Delivery[];
  /** The id to continue before; undefined if there are no more. A page may have fewer deliveries than asked for. */
  readonly next: number | undefined;
}

export interface EventWithDeliveries {
  readonly event: Omit<NewEvent, 'payload'> & { readonly sequence: number; readonly body: string };
  readonly deliveries: readonly Delivery[];
}

export interface Attempt {
  readonly number: number;
  readonly at: number;
  readonly durationMs: number;
  readonly kind: AttemptOutcome['kind'];
  readonly status: number | undefined;
  readonly reason: string;
  readonly answer: string;
  /** Undefined for attempts of older releases. */
  readonly url: string | undefined;
}

export interface DeliveryQuery {
  readonly webhook: string;
  readonly state: DeliveryState | undefined;
  /** The id of the event, which receivers know as `webhook-id`. */
  readonly messageId?: string | undefined;
  readonly eventId?: string | undefined;
  readonly eventType?: string | undefined;
  readonly from: number | undefined;
  readonly to: number | undefined;
  /** For paging: only deliveries with a smaller id. */
  readonly before: number | undefined;
  readonly limit: number;
}

export type DecideResend = (found: Delivery | undefined) => Decision<'requeue'>;

/** Each method is one transaction. */
export interface WebhookStore {
  policy(): Promise<DeliveryPolicy>;
  changePolicy(by: Actor, decide: (found: DeliveryPolicy) => Decision<DeliveryPolicy>): Promise<DeliveryPolicy>;

  /** Lists webhooks of one scope, of all services, or of everything, oldest first, after the webhook with the id `after`. */
  webhooks(
    scope: Scope | 'services' | 'all',
    after: string | undefined,
    limit: number,
  ): Promise<readonly WebhookWithLedger[]>;
  webhook(id: string): Promise<WebhookWithLedger | undefined>;
  webhooksByNumber(numbers: readonly number[]): Promise<ReadonlyMap<number, Webhook>>;
  /** The numbers of the webhooks that were removed since a time. */
  removedSince(time: number): Promise<readonly number[]>;
  /** Counts the deliveries of webhooks, also of removed ones, that are claimed on any replica. */
  countClaimed(ids: readonly string[]): Promise<number>;
  addWebhook(
    by: Actor,
    scope: Scope,
    decide: (seen: { readonly names: readonly string[] }) => Decision<Webhook>,
  ): Promise<Webhook>;
  changeWebhook(
    id: string,
    by: Actor,
    decide: (seen: {
      readonly found: Webhook | undefined;
      /** The names of the other webhooks of its scope. */
      readonly names: readonly string[];
    }) => Decision<WebhookChange>,
  ): Promise<Webhook | undefined>;
  /** Replaces sealed secrets by the result of `reseal`, unless it is undefined. Counts those for which `reseal` throws. */
  resealWebhooks(
    reseal: (sealed: string) => string | undefined,
  ): Promise<{ readonly resealed: number; readonly failed: number }>;

  /** Accepts the events of several requests. A request with a conflict is left out; the others are accepted. */
  accept(requests: readonly (readonly NewEvent[])[], rules: AcceptRules): Promise<Acceptance>;
  /** Turns up to `limit` announcements of the outbox into events and deliveries, and counts the events; undefined when the outbox is empty. */
  takeAnnouncements(limit: number, rules: AnnouncementRules): Promise<number | undefined>;

  /** How many deliveries one claim or settlement should handle. */
  readonly batchSize: number;
  /** Whether it works on the event loop of this process. */
  readonly isInProcess: boolean;
  /** Names this process in what it claims. */
  readonly owner: string;
  /** The time of the next due delivery, by number of the webhook. Of inactive webhooks, only deliveries that are sent again. */
  dueTimes(): Promise<ReadonlyMap<number, number>>;
  claim(request: ClaimRequest): Promise<ClaimResult>;
  settle(owner: string, attempts: readonly FinishedAttempt[], rules: SettleRules): Promise<Settlement>;
  /** Makes claimed deliveries that were not sent claimable again. */
  returnClaims(owner: string, claimed: readonly ReturnedClaim[], dueAt: number): Promise<void>;
  /** Makes deliveries claimable again whose lease has ended, and those of a replica that has ended. */
  expireClaims(now: number): Promise<void>;
  /** Frees what this owner has claimed and does not know: the answer to its claim was lost. Returns how many. */
  freeUnknownClaims(owner: string, isKnown: (delivery: number) => boolean): Promise<number>;
  /** Brings deliveries nearer that are due later than any wait allows, because a clock was set back. Returns how many. */
  clampDueTimes(now: number, longest: LongestWaits, limit: number): Promise<number>;
  /** Ends all leases of deliveries. Only for the start of a process that has the store for itself. */
  expireAllLeases(): Promise<void>;

  deliveries(query: DeliveryQuery): Promise<DeliveryPage>;
  /** Finds an event of a scope, or of any scope, with its deliveries; those of system webhooks only for `all`. */
  event(scope: Scope | 'all', id: string): Promise<EventWithDeliveries | undefined>;
  delivery(
    webhook: string,
    id: number,
  ): Promise<{ readonly delivery: Delivery; readonly attempts: readonly Attempt[]; readonly body: string } | undefined>;
  /** Makes a settled or held delivery pending and due now, also of an inactive webhook. Its attempts stay on record. */
  redeliver(webhook: string, id: number, by: Actor, decide: DecideResend): Promise<void>;
  countResendable(selection: ResendSelection): Promise<number>;
  /** Makes some of the selected deliveries pending and due now, and writes the job's progress in the same transaction. */
  requeue(lease: Lease, query: ResendQuery, progressOf: (page: ResendPage) => Progress): Promise<ResendPage | 'lost'>;
  /** Discards up to `limit` pending deliveries and returns how many. */
  discardPending(webhook: string, limit: number): Promise<number>;
  /** Lists when deliveries failed finally, oldest first. */
  failures(limit: number): Promise<readonly { readonly webhook: string; readonly at: number }[]>;
  /** Removes up to `limit` deliveries that were settled before; returns whether there may be more. */
  prune(settledBefore: number, limit: number): Promise<boolean>;
}

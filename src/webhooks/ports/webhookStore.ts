import type { Scope } from '../../model/serviceKey.ts';
import type { Actor } from '../../model/actor.ts';
import type { Announcement, Decision } from '../../model/decision.ts';
import type { Lease, Progress } from '../../jobs/jobStore.ts';
import type { Failures } from '../policy/failureWindow.ts';
import type { DeliveryPolicy } from '../policy/policy.ts';
import type { AttemptOutcome } from './receiver.ts';

export type ContentType = 'application/json' | 'application/x-www-form-urlencoded';

export interface Webhook {
  readonly id: string;
  readonly scope: Scope;
  readonly name: string;
  readonly hookUrl: string;
  readonly active: boolean;
  /** `*` is every type. */
  readonly changeTypes: readonly string[];
  readonly contentType: ContentType;
  /** Signing keys and custom headers, sealed with the master key. */
  readonly sealed: string;
  /** The name of one more header with a signature of the body alone; '' for none. */
  readonly signatureHeader: string;
  readonly receiverSignals: boolean;
  readonly owner: string;
  readonly created: number;
  readonly modified: number;
  readonly revision: number;
  readonly deactivation: { readonly reason: string; readonly at: number } | undefined;
  readonly failures: Failures;
}

/** Of all that was ever accepted for a webhook; what none of the three others counts is pending, or held while it is inactive. */
export interface Ledger {
  readonly accepted: number;
  readonly delivered: number;
  readonly failed: number;
  readonly discarded: number;
  readonly last:
    | { readonly at: number; readonly kind: string; readonly status: number | undefined; readonly reason: string }
    | undefined;
  readonly lastSuccess: number | undefined;
}

export interface WebhookSeen {
  readonly webhook: Webhook;
  readonly ledger: Ledger;
}

export type WebhookChange =
  | { readonly kind: 'none' }
  | { readonly kind: 'put'; readonly webhook: Webhook; readonly paceRelease?: true }
  | { readonly kind: 'remove' };

/** An event as it was sent to us. */
export interface NewEvent {
  readonly id: string;
  readonly scope: Scope;
  /** What its sender calls it: the same one twice is accepted once. */
  readonly eventId: string | undefined;
  readonly type: string;
  readonly at: number;
  /** JSON text. */
  readonly payload: string;
}

export interface AcceptedEvent {
  readonly id: string;
  readonly eventId: string | undefined;
  readonly sequence: number;
  readonly deliveries: number;
  readonly isRepeat: boolean;
}

export interface Acceptance {
  readonly events: readonly AcceptedEvent[];
  /** The numbers of the webhooks that have something to deliver now. */
  readonly wake: readonly number[];
}

/** One delivery that is ours until its lease ends. The fence tells a late holder that it is no longer. */
export interface Claimed {
  readonly delivery: number;
  readonly webhook: number;
  /** Of the webhook. */
  readonly revision: number;
  readonly fence: number;
  readonly attempts: number;
  readonly messageId: string;
  readonly body: string;
}

export interface Claim {
  readonly claimed: readonly Claimed[];
  /** Webhooks whose release is paced, and when they may be asked again. */
  readonly later: ReadonlyMap<number, number>;
}

export interface Attempted {
  readonly delivery: number;
  readonly webhook: number;
  readonly fence: number;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly outcome: AttemptOutcome;
}

export type AttemptVerdict =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'retry'; readonly at: number }
  | { readonly kind: 'failed' }
  /** The receiver has said that it is gone for good. */
  | { readonly kind: 'gone' };

export interface FailedSeen {
  readonly webhook: Webhook;
  readonly policy: DeliveryPolicy;
  /** When each of its deliveries failed, in this transaction; those that were counted before are not among them. */
  readonly failedAt: readonly number[];
  readonly now: number;
  readonly isGone: boolean;
}

/** The rules of the area, which the store asks while it holds the rows. */
export interface SettleRules {
  verdict(
    attempted: Attempted,
    seen: { readonly attempts: number; readonly receiverSignals: boolean },
    policy: DeliveryPolicy,
  ): AttemptVerdict;
  afterFailures(seen: FailedSeen): Decision<Webhook>;
}

export interface SettledOne {
  readonly delivery: number;
  readonly webhook: number;
  readonly verdict: AttemptVerdict | 'lost';
}

export interface Settlement {
  readonly settled: readonly SettledOne[];
  readonly deactivated: number;
}

export type DeliveryState = 'pending' | 'delivered' | 'failed' | 'discarded';

export interface Delivery {
  readonly id: number;
  readonly isHeld: boolean;
  readonly messageId: string;
  readonly eventId: string | undefined;
  readonly eventType: string;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly created: number;
  readonly settledAt: number | undefined;
  /** The next attempt of a pending one. */
  readonly dueAt: number | undefined;
}

export interface Attempt {
  readonly number: number;
  readonly at: number;
  readonly durationMs: number;
  readonly kind: AttemptOutcome['kind'];
  readonly status: number | undefined;
  readonly reason: string;
  readonly answer: string;
}

export interface DeliveryQuery {
  readonly webhook: string;
  readonly state: DeliveryState | undefined;
  readonly from: number | undefined;
  readonly to: number | undefined;
  /** Only those with a smaller id: the next page. */
  readonly before: number | undefined;
  readonly limit: number;
}

/** Each method is one transaction. */
export interface WebhookStore {
  policy(): Promise<DeliveryPolicy>;
  changePolicy(by: Actor, decide: (found: DeliveryPolicy) => Decision<DeliveryPolicy>): Promise<DeliveryPolicy>;

  /** Of one scope, of all services, or of these and the system; those after the one with this id, oldest first. */
  webhooks(
    scope: Scope | 'services' | 'all',
    after: string | undefined,
    limit: number,
  ): Promise<readonly WebhookSeen[]>;
  webhook(id: string): Promise<WebhookSeen | undefined>;
  webhookOf(number: number): Promise<Webhook | undefined>;
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
      /** Of the other webhooks of its scope. */
      readonly names: readonly string[];
    }) => Decision<WebhookChange>,
  ): Promise<Webhook | undefined>;
  /** Seals the secrets of those webhooks anew that `reseal` answers for; those for which it throws are left and counted. */
  resealWebhooks(
    reseal: (sealed: string) => string | undefined,
  ): Promise<{ readonly resealed: number; readonly failed: number }>;

  accept(events: readonly NewEvent[], bodyOf: (event: NewEvent, sequence: number) => string): Promise<Acceptance>;
  /** Turns up to so many announcements of Steward's own into events and deliveries. Undefined: there was none. */
  takeAnnouncements(
    limit: number,
    eventOf: (announcement: Announcement, at: number) => NewEvent,
    bodyOf: (event: NewEvent, sequence: number) => string,
  ): Promise<Acceptance | undefined>;

  /** How many deliveries one claim or settlement should be about. */
  readonly atOnce: number;
  /** When the next delivery of each webhook with pending ones is due. */
  dueTimes(): Promise<ReadonlyMap<number, number>>;
  claim(wanted: {
    readonly now: number;
    readonly leaseUntil: number;
    readonly owner: string;
    readonly pacePerSecond: number;
    readonly webhooks: readonly { readonly number: number; readonly limit: number }[];
  }): Promise<Claim>;
  settle(owner: string, done: readonly Attempted[], rules: SettleRules): Promise<Settlement>;
  /** Gives back what was claimed and not sent. */
  release(claimed: readonly Pick<Claimed, 'delivery' | 'fence'>[], dueAt: number): Promise<void>;
  /** What a replica claimed and did not settle within its lease. */
  takeBackExpired(now: number): Promise<void>;
  /** All leases there are, of jobs too: for a store that only one process uses, at its start. */
  takeBackAll(): Promise<void>;

  deliveries(query: DeliveryQuery): Promise<readonly Delivery[]>;
  delivery(
    webhook: string,
    id: number,
  ): Promise<{ readonly delivery: Delivery; readonly attempts: readonly Attempt[]; readonly body: string } | undefined>;
  /** Back to pending, due at once, with all its attempts before it. */
  redeliver(
    webhook: string,
    id: number,
    by: Actor,
    decide: (found: Delivery | undefined) => Decision<'again'>,
  ): Promise<void>;
  countFailed(webhook: string, since: number): Promise<number>;
  /** For a job: the next so many that failed since, back to pending and due at once, its progress in the same transaction. */
  requeueFailed(
    lease: Lease,
    wanted: { readonly webhook: string; readonly since: number; readonly after: number; readonly limit: number },
    progressOf: (requeued: readonly number[]) => Progress,
  ): Promise<readonly number[] | 'lost'>;
  /** Discards up to so many that wait; answers how many it discarded. */
  discardPending(webhook: string, limit: number): Promise<number>;
  /** When deliveries failed for good, oldest first, by webhook. */
  failures(limit: number): Promise<readonly { readonly webhook: string; readonly at: number }[]>;
  /** Removes up to so much of what was settled before; answers whether there may be more. */
  prune(settledBefore: number, limit: number): Promise<boolean>;
}

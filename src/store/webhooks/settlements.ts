// Settles attempts: records the outcome of each, moves its delivery to the next state, counts it in the ledger, and lets
// the area's rules decide about webhooks whose deliveries failed. All in one transaction.
import { localActor } from '../../model/actor.ts';
import type { DeliveryState, DeliveryTransition } from '../../model/deliveryState.ts';
import { stateAfter } from '../../model/deliveryState.ts';
import type { DeliveryPolicy } from '../../model/entity/deliveryPolicy.ts';
import type {
  AttemptVerdict,
  FinishedAttempt,
  SettleRules,
  SettledDelivery,
  Webhook,
  WebhookStore,
} from '../../webhooks/ports/webhookStore.ts';
import type { Decoded } from '../engine/codec.ts';
import type { Script } from '../engine/script.ts';
import { ahead, numbers, rows, unread } from '../engine/script.ts';
import type { RaiseRevision, TableDependencies } from '../transaction.ts';
import { recordDecision, transaction } from '../transaction.ts';
import {
  attempts,
  deliveries,
  fences,
  hasFence,
  ledgerLock,
  numberedLedgers,
  queue,
  webhooks,
} from './webhookTables.ts';
import { WEBHOOK, readPolicy, updateWebhook } from './webhooks.ts';

const COURIER = localActor('courier');

const settled = deliveries.pick('id', 'state', 'fence', 'attempts', 'settledAt', 'failedAt', 'isFailed');
const ledgerChanges = numberedLedgers.pick('webhook', 'delivered', 'failed', 'last', 'lastSuccess', 'pausedUntil');

/** An attempt whose claim had not ended before. */
interface OwnedAttempt {
  readonly attempt: FinishedAttempt;
  readonly claim: Decoded<typeof queue>;
}

interface JudgedAttempt extends OwnedAttempt {
  readonly verdict: AttemptVerdict;
  readonly state: DeliveryState;
  /** Until when the receiver asked for no request. */
  readonly pausedUntil: number | undefined;
}

const TRANSITION_OF: Readonly<Record<AttemptVerdict['kind'], DeliveryTransition>> = {
  delivered: 'deliver',
  retry: 'retry',
  failed: 'fail',
  held: 'hold',
  gone: 'fail',
};

/** Whether this attempt makes a failure that counts. A resend never counts. */
function isNewFailure({ claim, state }: Pick<JudgedAttempt, 'claim' | 'state'>): boolean {
  return state === 'failed' && claim.resendOf === undefined && claim.failedAt === undefined;
}

function settledRecord({ attempt, claim, state }: JudgedAttempt): Decoded<typeof settled> {
  const { endedAt, fence } = attempt;
  return {
    id: claim.delivery,
    state,
    fence,
    attempts: claim.attempts + 1,
    settledAt: state === 'pending' ? undefined : endedAt,
    failedAt: claim.failedAt ?? (isNewFailure({ claim, state }) ? endedAt : undefined),
    isFailed: state === 'failed',
  };
}

/** Of a delivery that is still pending. A resend ends with the round of its attempts. */
function queuedRecord({ attempt, claim, verdict }: JudgedAttempt): Decoded<typeof queue> {
  const hasMoreAttempts = verdict.kind === 'retry';
  return {
    ...claim,
    dueAt: 'at' in verdict ? verdict.at : attempt.endedAt,
    fence: attempt.fence,
    attempts: claim.attempts + 1,
    roundAttempts: hasMoreAttempts ? claim.roundAttempts + 1 : 0,
    resendOf: hasMoreAttempts ? claim.resendOf : undefined,
    isSentWhileInactive: hasMoreAttempts && claim.isSentWhileInactive,
  };
}

function answerOf({ outcome }: FinishedAttempt) {
  const { kind } = outcome;
  return kind === 'unreachable'
    ? { kind, status: undefined, reason: outcome.reason }
    : { kind, status: outcome.status, reason: outcome.kind === 'refused' ? outcome.reason : '' };
}

function attemptRecord({ attempt, claim, state }: JudgedAttempt): Decoded<typeof attempts> {
  return {
    delivery: claim.delivery,
    number: claim.attempts + 1,
    at: attempt.startedAt,
    durationMs: Math.round(attempt.outcome.durationMs),
    answer: attempt.outcome.answer,
    url: attempt.url,
    settles: state !== 'pending' && claim.resendOf !== 'delivered',
    ...answerOf(attempt),
  };
}

interface LedgerSum {
  delivered: number;
  failed: number;
  last: FinishedAttempt;
  success?: number;
  pausedUntil?: number;
}

/** One change per webhook: new counts, its last attempt and its last success. */
function ledgerRecords(judged: readonly JudgedAttempt[]): readonly Decoded<typeof ledgerChanges>[] {
  const byWebhook = new Map<number, LedgerSum>();
  for (const { attempt, claim, state, pausedUntil } of judged) {
    const { webhook, endedAt } = attempt;
    const sum = byWebhook.get(webhook) ?? { delivered: 0, failed: 0, last: attempt };
    byWebhook.set(webhook, sum);
    // A delivered one that is sent again is counted already.
    if (state === 'delivered' && claim.resendOf !== 'delivered') sum.delivered += 1;
    if (state === 'failed') sum.failed += 1;
    if (attempt.outcome.kind === 'accepted') sum.success = endedAt;
    if (endedAt >= sum.last.endedAt) sum.last = attempt;
    if (pausedUntil !== undefined) sum.pausedUntil = Math.max(pausedUntil, sum.pausedUntil ?? 0);
  }
  return [...byWebhook].map(([webhook, { delivered, failed, last, success, pausedUntil }]) => ({
    webhook,
    delivered,
    failed,
    last: { at: last.endedAt, ...answerOf(last) },
    lastSuccess: success,
    pausedUntil,
  }));
}

export function settlementMethods(dependencies: TableDependencies) {
  const { clock, engine } = dependencies;
  const { dialect } = engine;
  const { forUpdate, isIn } = dialect;
  const lockLedgers = ledgerLock(dialect);
  const insertAttempts = attempts.batchInserter(dialect);
  const insertIntoQueue = queue.batchInserter(dialect);
  const TAKE = `delete from queue where owner = $2 and ${hasFence(dialect, '$1')} returning ${queue.list()}`;
  const TAKE_UNOWNED = `delete from queue where owner is null and ${hasFence(dialect, '$1')} returning ${queue.list()}`;
  const SIGNALLING = `select seq from webhook where receiver_signals = 1 and seq ${isIn('$1', 'bigint')}`;
  // A delivered one that is sent again keeps the time when it was delivered.
  const SETTLE = `update delivery set state = item.state, fence = item.fence, attempts = item.attempts,
      settled_at = coalesce(delivery.settled_at, item.settled_at), failed_at = item.failed_at, is_failed = item.is_failed
    from ${settled.relation(dialect, '$1')} where delivery.id = item.id`;
  const COUNT = `update webhook_ledger set delivered = webhook_ledger.delivered + item.delivered,
      failed = webhook_ledger.failed + item.failed, last_at = item.last_at, last_kind = item.last_kind,
      last_status = item.last_status, last_reason = item.last_reason,
      last_success_at = coalesce(item.last_success_at, webhook_ledger.last_success_at),
      paused_until = case when item.paused_until > coalesce(webhook_ledger.paused_until, 0) then item.paused_until
        else webhook_ledger.paused_until end
    from ${ledgerChanges.relation(dialect, '$1')} where webhook_ledger.webhook_seq = item.webhook_seq`;

  /** Takes the deliveries of these attempts out of the queue, and drops attempts whose claim has ended before. */
  function* ownedAttempts(owner: string, finished: readonly FinishedAttempt[]): Script<readonly OwnedAttempt[]> {
    const taken = [...(yield* queue.all(TAKE, fences.batch(dialect, finished), owner))];
    if (taken.length < finished.length) {
      const found = new Set(taken.map(({ delivery }) => delivery));
      const missing = finished.filter(({ delivery }) => !found.has(delivery));
      // If a crash of the store has lost the claim, the delivery is as it was before.
      const before = missing.map(({ delivery, fence }) => ({ delivery, fence: fence - 1 }));
      taken.push(...(yield* queue.all(TAKE_UNOWNED, fences.batch(dialect, before))));
    }
    const byId = new Map(taken.map((claim) => [claim.delivery, claim]));
    return finished.flatMap((attempt) => {
      const claim = byId.get(attempt.delivery);
      return claim === undefined ? [] : { attempt, claim };
    });
  }

  /** Which of the webhooks that refused a delivery may do so as a signal. */
  function* signallingWebhooks(owned: readonly OwnedAttempt[]): Script<ReadonlySet<number>> {
    const refused = owned.filter(({ attempt }) => attempt.outcome.kind === 'refused');
    if (refused.length === 0) return new Set();
    const refusing = new Set(refused.map(({ attempt }) => attempt.webhook));
    return new Set(yield* numbers(SIGNALLING, JSON.stringify([...refusing])));
  }

  function* write(judged: readonly JudgedAttempt[]): Script<void> {
    if (judged.length === 0) return;
    yield* unread(rows(SETTLE, settled.batch(dialect, judged.map(settledRecord))));
    const pending = judged.filter(({ state }) => state === 'pending');
    if (pending.length > 0) yield* unread(insertIntoQueue(pending.map(queuedRecord)));
    yield* unread(insertAttempts(judged.map(attemptRecord)));
    yield* unread(rows(COUNT, ledgerChanges.batch(dialect, ledgerRecords(judged))));
  }

  /** Applies the failure window to each webhook with a failed delivery. Returns the webhooks that were deactivated. */
  function* countFailures(
    judged: readonly JudgedAttempt[],
    policy: DeliveryPolicy,
    rules: SettleRules,
    raise: RaiseRevision,
  ): Script<readonly Webhook[]> {
    const failed = judged.filter(({ state, verdict }) => state === 'failed' || verdict.kind === 'gone');
    const failedWebhooks = [...new Set(failed.map(({ attempt }) => attempt.webhook))].toSorted((a, b) => a - b);
    const deactivated: Webhook[] = [];
    for (const number of failedWebhooks) {
      const webhook = yield* webhooks.first(`${WEBHOOK} and w.seq = $1${forUpdate}`, number);
      if (webhook === undefined) continue;
      const own = failed.filter(({ attempt }) => attempt.webhook === number);
      const decision = rules.afterFailures({
        webhook,
        policy,
        failedAt: own.filter(isNewFailure).map(({ attempt }) => attempt.endedAt),
        now: Math.max(...own.map(({ attempt }) => attempt.endedAt)),
        isGone: own.some(({ verdict }) => verdict.kind === 'gone'),
      });
      yield* updateWebhook(decision.change);
      yield* recordDecision(COURIER, clock.now(), decision);
      if (webhook.active && !decision.change.active) {
        deactivated.push(decision.change);
        yield* raise('webhooks');
      }
    }
    return deactivated;
  }

  return {
    settle: (owner, finished, rules) =>
      transaction(dependencies, { closedWhen: 'never' }, function* (raise) {
        yield* lockLedgers(new Set(finished.map(({ webhook }) => webhook)));
        const policyRead = yield* ahead(readPolicy());
        const owned = yield* ownedAttempts(owner, finished);
        const policy = policyRead();
        const signalling = yield* signallingWebhooks(owned);
        const judged = owned.map((one): JudgedAttempt => {
          const receiverSignals = signalling.has(one.attempt.webhook);
          const { roundAttempts, resendOf } = one.claim;
          const seen = { attempts: roundAttempts + 1, receiverSignals, resendOf };
          const verdict = rules.verdict(one.attempt, seen, policy);
          const state = stateAfter(TRANSITION_OF[verdict.kind], resendOf);
          return { ...one, verdict, state, pausedUntil: rules.pause(one.attempt, seen) };
        });
        yield* write(judged);
        const deactivated = yield* countFailures(judged, policy, rules, raise);
        const verdicts = new Map(judged.map(({ attempt, verdict }) => [attempt.delivery, verdict]));
        const verdictOn = (delivery: number): SettledDelivery['verdict'] => verdicts.get(delivery) ?? 'lost';
        return {
          settled: finished.map(({ delivery, webhook }) => ({ delivery, webhook, verdict: verdictOn(delivery) })),
          deactivated,
        };
      }),
  } satisfies Partial<WebhookStore>;
}

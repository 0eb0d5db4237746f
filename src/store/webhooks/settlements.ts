// Settles attempts: records the outcome of each, moves its delivery to the next state, counts it in the ledger, and lets
// the area's rules decide about webhooks whose deliveries failed. All in one transaction.
import { localActor } from '../../model/actor.ts';
import type { DeliveryState, DeliveryTransition } from '../../model/deliveryState.ts';
import { isAllowed, stateAfter } from '../../model/deliveryState.ts';
import type { DeliveryPolicy } from '../../webhooks/policy/policy.ts';
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
  claims,
  deliveries,
  fences,
  hasFence,
  isUnclaimed,
  ledgerLock,
  lockDeliveries,
  numberedLedgers,
  webhooks,
} from './webhookTables.ts';
import { WEBHOOK, readPolicy, updateWebhook } from './webhooks.ts';

const COURIER = localActor('courier');

const claimed = claims.pick('delivery', 'fence', 'attempts', 'roundAttempts', 'failedAt', 'resendOf');
const unclaimed = deliveries.pick('id', 'state', 'fence', 'attempts', 'roundAttempts', 'failedAt', 'resendOf');
const settled = deliveries.pick('id', 'state', 'dueAt', 'roundAttempts', 'settledAt', 'failedAt');
const ledgerChanges = numberedLedgers.pick('webhook', 'delivered', 'failed', 'last', 'lastSuccess', 'pausedUntil');

/** An attempt whose claim had not ended before. */
interface OwnedAttempt {
  readonly attempt: FinishedAttempt;
  readonly claim: Decoded<typeof claimed>;
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

function settledRecord({ attempt, claim, verdict, state }: JudgedAttempt): Decoded<typeof settled> {
  const { endedAt } = attempt;
  return {
    id: claim.delivery,
    state,
    dueAt: 'at' in verdict ? verdict.at : endedAt,
    roundAttempts: verdict.kind === 'retry' ? claim.roundAttempts + 1 : 0,
    settledAt: state === 'pending' ? undefined : endedAt,
    failedAt: claim.failedAt ?? (isNewFailure({ claim, state }) ? endedAt : undefined),
  };
}

function answerOf({ outcome }: FinishedAttempt) {
  const { kind } = outcome;
  return kind === 'unreachable'
    ? { kind, status: undefined, reason: outcome.reason }
    : { kind, status: outcome.status, reason: outcome.kind === 'refused' ? outcome.reason : '' };
}

function attemptRecord({ attempt, claim }: JudgedAttempt): Decoded<typeof attempts> {
  return {
    delivery: claim.delivery,
    number: claim.attempts + 1,
    at: attempt.startedAt,
    durationMs: Math.round(attempt.outcome.durationMs),
    answer: attempt.outcome.answer,
    url: attempt.url,
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
  const END_CLAIMS = `delete from claim where owner = $2 and ${hasFence(dialect, '$1')} returning ${claimed.list()}`;
  const UNCLAIMED = `${unclaimed.select} where id ${isIn('$1', 'bigint')} and ${isUnclaimed('delivery')}`;
  const SIGNALLING = `select seq from webhook where receiver_signals = 1 and seq ${isIn('$1', 'bigint')}`;
  // A delivered one that is sent again keeps the time when it was delivered. A resend ends with the round of its attempts.
  const SETTLE = `update delivery set state = item.state, due_at = item.due_at, attempts = delivery.attempts + 1,
      round_attempts = item.round_attempts, settled_at = coalesce(delivery.settled_at, item.settled_at),
      failed_at = item.failed_at, fence = delivery.fence + 1,
      resend_of = case when item.round_attempts > 0 then delivery.resend_of end,
      sent_while_inactive = case when item.round_attempts > 0 then delivery.sent_while_inactive else 0 end
    from ${settled.relation(dialect, '$1')} where delivery.id = item.id`;
  const COUNT = `update webhook_ledger set delivered = webhook_ledger.delivered + item.delivered,
      failed = webhook_ledger.failed + item.failed, last_at = item.last_at, last_kind = item.last_kind,
      last_status = item.last_status, last_reason = item.last_reason,
      last_success_at = coalesce(item.last_success_at, webhook_ledger.last_success_at),
      paused_until = case when item.paused_until > coalesce(webhook_ledger.paused_until, 0) then item.paused_until
        else webhook_ledger.paused_until end
    from ${ledgerChanges.relation(dialect, '$1')} where webhook_ledger.webhook_seq = item.webhook_seq`;

  /**
   * Claims that a crash of the store has lost: their deliveries are as they were when they were claimed. The state is not a condition of
   * the statement, because PostgreSQL may then walk the index of all pending deliveries.
   */
  function* lostClaims(lost: readonly number[]): Script<readonly OwnedAttempt['claim'][]> {
    if (lost.length === 0) return [];
    const ids = JSON.stringify(lost);
    yield* lockDeliveries(dialect, `id ${isIn('$1', 'bigint')}`, ids);
    const found = yield* unclaimed.all(UNCLAIMED, ids);
    return found
      .filter(({ state }) => isAllowed('deliver', state))
      .map(({ id, fence, ...more }) => ({ ...more, delivery: id, fence: fence + 1 }));
  }

  /** Ends the claims of these attempts, and drops attempts whose claim has ended before. */
  function* ownedAttempts(owner: string, finished: readonly FinishedAttempt[]): Script<readonly OwnedAttempt[]> {
    const ended = yield* claimed.all(END_CLAIMS, fences.batch(dialect, finished), owner);
    const byId = new Map(ended.map((claim) => [claim.delivery, claim]));
    const lost = finished.map(({ delivery }) => delivery).filter((delivery) => !byId.has(delivery));
    for (const claim of yield* lostClaims(lost)) byId.set(claim.delivery, claim);
    return finished.flatMap((attempt) => {
      const claim = byId.get(attempt.delivery);
      return claim?.fence === attempt.fence ? { attempt, claim } : [];
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

// The loop that delivers, one on each replica: claims due deliveries and starts their attempts, and settles finished attempts
// beside that. courierState.ts decides the next step; this file performs it. A slot becomes free when the outcome is settled,
// so a store that is away stops the courier instead of filling its memory.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { MINUTE, SECOND } from '../../foundation/clock.ts';
import { reasonOf } from '../../foundation/errors.ts';
import type { DeliveryPolicy } from '../../model/entity/deliveryPolicy.ts';
import type { ClaimResult, FinishedAttempt, SettledDelivery, WebhookStore } from '../ports/webhookStore.ts';
import { logDeactivation } from '../subscriptions/webhook.ts';
import { SETTLE_RULES, longestWaits } from './attemptRules.ts';
import { ANNOUNCEMENT_RULES } from '../events/announcementRules.ts';
import type { CourierLoad, CourierStep } from './courierState.ts';
import { GATHER_MS, INITIAL_STATE, after, hasGrowingBatch, nextStep, restMs } from './courierState.ts';
import type { DeliveryCounters } from './deliveryCounters.ts';
import { releasePace } from './releasePace.ts';
import type { UnsettledAttemptsDependencies } from './unsettledAttempts.ts';
import { createUnsettledAttempts } from './unsettledAttempts.ts';
import type { WakeSignal } from './wakeSignal.ts';
import { createWakeSignal } from './wakeSignal.ts';

export interface CourierDependencies extends UnsettledAttemptsDependencies {
  readonly store: WebhookStore;
  readonly policy: () => Promise<DeliveryPolicy>;
  readonly wakeSignal: WakeSignal;
  readonly counters: DeliveryCounters;
  readonly pacePerSecond: number;
}

export interface Courier {
  /** Cuts requests of webhooks that were removed a moment ago. */
  withdrawRemoved(): Promise<void>;
  /** Ends running attempts after a moment, and returns the claims of those without an answer, uncounted. */
  stop(): Promise<void>;
}

/** A lease exceeds the time-out of an attempt by this, which leaves time to settle the outcome. */
const LEASE_MARGIN_MS = 10 * SECOND;
const ANNOUNCEMENT_BATCH = 50;
/** The limit of one poll: an import of thousands of services must not delay the deliveries. */
const ANNOUNCEMENT_BATCHES = 10;
/** How long a stop waits for a store that is away. */
const PATIENCE_MS = 5 * SECOND;
/** Most attempts end within this time, and an attempt that is cut may arrive twice. A receiver that hangs must not delay a stop. */
const ATTEMPTS_END_WITHIN_MS = 500;
/**
 * If the store works on the event loop too, the attempts of a claim start in three turns of it, at least 16 in each. In a single turn, other
 * requests waited 18 ms instead of 6 while a backlog was worked off.
 */
const STARTS = { turns: 3, atLeast: 16 };
/** A clock that is set back by less delays a delivery by less than this. */
const CLOCK_STEP_MS = SECOND;
const CLAMP_BATCH = 500;
/**
 * Due times are read again after at least four times the time that it took to read them. With ten thousand webhooks that are due, this is
 * 120 ms; without a rest it took half of the time of a backlog. The maximum is for a clock that is set while they are read.
 */
const REFRESH_REST = { factor: 4, atMostMs: SECOND };
/** How long a delivery waits when Steward itself lacks a descriptor, a port or memory. */
const POSTPONED_MS = 2 * SECOND;
/** A claim that was begun before its webhook was removed ends within this time. */
const REMOVED_WITHIN_MS = MINUTE;

const NOTHING_CLAIMED: ClaimResult = { claimed: [], dueAgain: new Map() };

/** Starts the loop of this replica. */
export function startCourier(dependencies: CourierDependencies): Courier {
  const { store, schedule, wakeSignal, counters, clock, log } = dependencies;
  const gatherSignal = createWakeSignal(clock);
  const attempts = createUnsettledAttempts({ ...dependencies, wakeSignal: { wake: attemptEnded } });
  const pace = releasePace(dependencies.pacePerSecond);
  const { owner } = store;
  let state = INITIAL_STATE;
  let settlement: Promise<void> = Promise.resolve();
  /** Resolves when the last claim has ended and its attempts are started. */
  let claiming: Promise<unknown> = Promise.resolve();
  let lastPollAt = Number.POSITIVE_INFINITY;
  /** While claims of this replica may exist that it does not know. */
  let claimLostUntil = Number.NEGATIVE_INFINITY;
  let lastRefresh = { endedAt: 0, restMs: 0 };

  function attemptEnded(): void {
    wakeSignal.wake();
    if (!state.isSettling && !hasGrowingBatch(currentLoad())) gatherSignal.wake();
  }

  function storeFailed(error: unknown): void {
    state = after.storeFailed(state, clock.now());
    log.warn({ reason: reasonOf(error) }, 'webhook delivery could not reach the store; it will try again');
  }

  /** Gives deliveries back that Steward itself could not send, or whose webhook was removed. They keep all their attempts. */
  async function giveBack(which: 'postponed' | 'withdrawn'): Promise<void> {
    const batch = attempts.take(which, store.batchSize);
    if (batch.length === 0) return;
    const dueAt = clock.now() + POSTPONED_MS;
    try {
      await store.returnClaims(owner, batch, dueAt);
    } catch (error) {
      attempts.putBackUnsent(which, batch);
      throw error;
    }
    await claiming;
    attempts.putBackUnsent(which, batch.filter(attempts.isClaimedAgain));
    const returned = batch.filter((one) => !attempts.isClaimedAgain(one));
    for (const { delivery, webhook } of returned) attempts.settled(delivery, webhook);
    if (which === 'withdrawn') return;
    counters.postponed(returned.length);
    for (const { webhook } of returned) schedule.markDue(webhook, dueAt);
  }

  async function settleFinished(): Promise<void> {
    const batch = attempts.takeFinished(store.batchSize);
    if (batch.length === 0) return;
    try {
      const { settled, deactivated } = await store.settle(owner, batch, SETTLE_RULES);
      // A claim of this replica may have come before it.
      if (settled.some(({ verdict }) => verdict === 'lost')) await claiming;
      const again = attempts.claimedAgain(batch, settled);
      const isOver = ({ delivery }: SettledDelivery | FinishedAttempt): boolean => !again.has(delivery);
      counters.settled(batch.filter(isOver), settled.filter(isOver), deactivated.length);
      for (const webhook of deactivated) logDeactivation(log, webhook);
      for (const { delivery, webhook, verdict } of settled.filter(isOver)) {
        attempts.settled(delivery, webhook);
        if (verdict !== 'lost' && verdict.kind === 'retry') schedule.markDue(webhook, verdict.at);
      }
      attempts.putBack([...again.values()]);
    } catch (error) {
      attempts.putBack(batch);
      throw error;
    }
  }

  async function settle(): Promise<void> {
    try {
      await giveBack('postponed');
      await giveBack('withdrawn');
      await settleFinished();
    } catch (error) {
      storeFailed(error);
    } finally {
      state = after.settleEnded(state);
      gatherSignal.wake();
      wakeSignal.wake();
    }
  }

  /** At the start, and when the clock was set back: retries that were scheduled before would wait too long. */
  async function clampAfterClockChange(): Promise<void> {
    const isSetBack = clock.now() < lastPollAt - CLOCK_STEP_MS;
    lastPollAt = clock.now();
    if (!isSetBack) return;
    const policy = await dependencies.policy();
    const leaseMs = policy.notificationTimeOutInSeconds * SECOND + LEASE_MARGIN_MS;
    const longest = longestWaits(policy, leaseMs, CLOCK_STEP_MS);
    let clamped = 0;
    for (let count = CLAMP_BATCH; count === CLAMP_BATCH; clamped += count)
      count = await store.clampDueTimes(clock.now(), longest, CLAMP_BATCH);
    if (clamped > 0)
      log.warn(
        { deliveries: clamped },
        'the clock was set back; deliveries that would have waited too long are due earlier',
      );
  }

  /** A claim whose answer was lost may have been committed, also a while later. Without this, it would be sent when its lease ends. */
  async function freeLostClaims(): Promise<void> {
    if (clock.now() > claimLostUntil) return;
    const freed = await store.freeUnknownClaims(owner, attempts.isInHand);
    if (freed > 0) log.info({ deliveries: freed }, 'claims whose answer was lost were freed');
  }

  async function refreshSchedule(): Promise<void> {
    const began = clock.now();
    if (Math.abs(began - lastRefresh.endedAt) < lastRefresh.restMs) return;
    await schedule.refresh(store.dueTimes);
    const endedAt = clock.now();
    lastRefresh = { endedAt, restMs: Math.min(REFRESH_REST.factor * (endedAt - began), REFRESH_REST.atMostMs) };
  }

  async function poll(): Promise<void> {
    for (let n = 0; n < ANNOUNCEMENT_BATCHES; n += 1) {
      const taken = await store.takeAnnouncements(ANNOUNCEMENT_BATCH, ANNOUNCEMENT_RULES);
      if (taken === undefined) break;
      counters.accepted(taken);
    }
    await clampAfterClockChange();
    await store.expireClaims(clock.now());
    await freeLostClaims();
    await refreshSchedule();
  }

  /** Claims due deliveries, starts their attempts and returns how many. */
  async function claim(): Promise<number> {
    const timeoutMs = (await dependencies.policy()).notificationTimeOutInSeconds * SECOND;
    const quotas = state.stop === 'none' ? schedule.takeQuotas(clock.now()) : [];
    if (quotas.length === 0) return 0;
    const now = clock.now();
    const leaseUntil = now + timeoutMs + LEASE_MARGIN_MS;
    let result = NOTHING_CLAIMED;
    try {
      result = await store.claim({ now, leaseUntil, owner, pace, quotas });
    } catch (error) {
      claimLostUntil = leaseUntil;
      throw error;
    } finally {
      schedule.recordClaim(quotas, result);
    }
    const share = Math.ceil(result.claimed.length / STARTS.turns);
    const atOnce = store.isInProcess ? Math.max(STARTS.atLeast, share) : Infinity;
    for (const [n, claimed] of result.claimed.entries()) {
      if (n > 0 && n % atOnce === 0) await nextTurn();
      attempts.start(claimed, { timeoutMs, leaseUntil });
    }
    return result.claimed.length;
  }

  async function perform(step: Exclude<CourierStep, { readonly kind: 'stop' }>): Promise<void> {
    switch (step.kind) {
      case 'settle':
        state = after.settleStarted(state);
        settlement = settle();
        return;
      case 'poll':
        state = after.pollStarted(state, clock.now());
        return poll();
      case 'claim': {
        state = after.claimStarted(state);
        const started = claim();
        claiming = started.catch(() => undefined);
        const claimed = await started;
        state = after.claimEnded(state, claimed, clock.now());
        return;
      }
      case 'gather':
        await gatherSignal.rest(step.isLong ? GATHER_MS.long : GATHER_MS.short, step.isLong);
        state = after.gathered(state);
        return;
      case 'rest':
        await wakeSignal.rest(restMs(state, schedule.nextDueAt(), clock.now()), !step.isTroubled);
        state = after.rested(state);
        return;
    }
  }

  function currentLoad(): CourierLoad {
    return {
      runningAttempts: attempts.running(),
      finishedAttempts: attempts.finished(),
      busySlots: schedule.busySlots(),
      batchSize: store.batchSize,
    };
  }

  const decide = (): CourierStep => nextStep(state, currentLoad(), clock.now());

  async function run(): Promise<void> {
    for (let step = decide(); step.kind !== 'stop'; step = decide()) {
      try {
        await perform(step);
      } catch (error) {
        storeFailed(error);
        state = after.claimEnded(state, 0, clock.now());
      }
    }
    await settlement;
  }

  /** Ends attempts soon, and stops to wait for the store later. */
  async function losePatience(isOver: AbortSignal): Promise<void> {
    await clock.sleep(ATTEMPTS_END_WITHIN_MS, isOver);
    attempts.abort();
    await clock.sleep(PATIENCE_MS - ATTEMPTS_END_WITHIN_MS, isOver);
    state = after.patienceLost(state);
    wakeSignal.wake();
  }

  const running = run();
  return {
    async withdrawRemoved() {
      attempts.withdraw(await store.removedSince(clock.now() - REMOVED_WITHIN_MS));
    },

    async stop() {
      state = after.stopRequested(state);
      wakeSignal.wake();
      const over = new AbortController();
      const patience = losePatience(over.signal);
      await running;
      over.abort();
      await patience;
      await store.returnClaims(owner, attempts.unsent(), clock.now()).catch((error: unknown) => {
        log.warn(
          { reason: reasonOf(error) },
          'claimed deliveries could not be released; other replicas take them when their leases expire',
        );
      });
    },
  };
}

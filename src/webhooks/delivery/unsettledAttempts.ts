// The deliveries that this replica has claimed, from the start of their attempt until the outcome is settled in the store.
import type { Clock } from '../../foundation/clock.ts';
import { reasonOf } from '../../foundation/errors.ts';
import type { Log } from '../../foundation/log.ts';
import type { Receiver } from '../ports/receiver.ts';
import type { ClaimedDelivery, FinishedAttempt, SettledDelivery } from '../ports/webhookStore.ts';
import { maskHeaders } from './maskedOutcome.ts';
import type { Schedule } from './schedule.ts';
import { createTroubleLog } from './troubleLog.ts';
import { signedRequest } from './signedRequest.ts';
import type { UnsealedWebhooks } from '../subscriptions/unsealedWebhooks.ts';
import type { WakeSignal } from './wakeSignal.ts';

export interface UnsettledAttemptsDependencies {
  readonly receiver: Receiver;
  readonly unsealedWebhooks: UnsealedWebhooks;
  readonly schedule: Schedule;
  readonly clock: Clock;
  readonly log: Log;
  /** Woken when an attempt is over. */
  readonly wakeSignal: Pick<WakeSignal, 'wake'>;
}

export interface AttemptTerms {
  readonly timeoutMs: number;
  readonly leaseUntil: number;
}

/** How many webhooks keep their signal between two attempts. */
const KEPT_SIGNALS = 1000;

export function createUnsettledAttempts(dependencies: UnsettledAttemptsDependencies) {
  const { receiver, unsealedWebhooks, schedule, clock, log, wakeSignal } = dependencies;
  /** By number of the webhook. Its attempts share one signal, because a signal for each would cost more. */
  const underWay = new Map<number, { readonly abort: AbortController; running: number }>();
  let isAborted = false;
  let removed: ReadonlySet<number> = new Set();
  const finished: FinishedAttempt[] = [];
  const unsent: ClaimedDelivery[] = [];
  /** Not sent because Steward itself lacks something. */
  const postponed: ClaimedDelivery[] = [];
  /** Not sent, or cut, because their webhook was removed. */
  const withdrawn: ClaimedDelivery[] = [];
  const trouble = createTroubleLog(log, clock);
  /** The current fence of every delivery in this replica's hands, by id of the delivery. */
  const fences = new Map<number, number>();
  const unsentBy = { postponed, withdrawn };
  let running = 0;

  async function attempt(
    claimed: ClaimedDelivery,
    { timeoutMs, leaseUntil }: AttemptTerms,
    signal: AbortSignal,
  ): Promise<void> {
    const { delivery, webhook, fence } = claimed;
    const unsealed = await unsealedWebhooks.find(webhook, claimed.revision);
    if (unsealed === undefined || removed.has(webhook)) return void withdrawn.push(claimed);
    const startedAt = clock.now();
    // The outcome could not be settled within the lease. The next holder of the claim sends the delivery.
    if (startedAt + timeoutMs > leaseUntil) throw new Error('the store took longer than the lease allows');
    const message = { id: claimed.messageId, attempt: claimed.attempts + 1, body: claimed.body };
    const request = signedRequest(unsealed, message, { now: startedAt, timeoutMs });
    const outcome = maskHeaders(await receiver.send(request, signal), unsealed.signing.headers);
    const isCut = signal.aborted && (outcome.kind === 'unreachable' || outcome.kind === 'notSent');
    if (isCut) (isAborted ? unsent : withdrawn).push(claimed);
    else if (outcome.kind === 'notSent') {
      postponed.push(claimed);
      const { reason } = outcome;
      trouble(reason, { reason }, 'deliveries could not be sent; they are sent later, and no attempt is counted');
    } else finished.push({ delivery, webhook, fence, url: request.url, startedAt, endedAt: clock.now(), outcome });
  }

  const currentFence = ({ delivery, fence }: Pick<ClaimedDelivery, 'delivery' | 'fence'>): number =>
    fences.get(delivery) ?? fence;

  /** Whether this replica has claimed a delivery again since: the lease of the former claim had ended, as after a freeze. */
  const isClaimedAgain = (one: Pick<ClaimedDelivery, 'delivery' | 'fence'>): boolean => currentFence(one) !== one.fence;

  function signalOf(webhook: number): AbortSignal {
    const found = underWay.get(webhook) ?? { abort: new AbortController(), running: 0 };
    if (isAborted) found.abort.abort();
    found.running += 1;
    underWay.set(webhook, found);
    return found.abort.signal;
  }

  function attemptEnded(webhook: number): void {
    const found = underWay.get(webhook);
    if (found !== undefined && (found.running -= 1) === 0 && underWay.size > KEPT_SIGNALS) underWay.delete(webhook);
    running -= 1;
    wakeSignal.wake();
  }

  return {
    /** An error before anything is sent is not the receiver's: the claim is given back, and no attempt is counted. */
    start(claimed: ClaimedDelivery, terms: AttemptTerms): void {
      const { delivery, webhook, fence } = claimed;
      const isInHand = fences.has(delivery);
      fences.set(delivery, fence);
      // The store lost the first claim in a crash, or its lease ended. The attempt under way continues with the fence of this one.
      if (isInHand) return schedule.freeSlot(webhook);
      running += 1;
      attempt(claimed, terms, signalOf(webhook))
        .catch((error: unknown) => {
          postponed.push(claimed);
          const reason = reasonOf(error);
          const fields = { delivery, reason };
          trouble(
            `${webhook} ${reason}`,
            fields,
            'deliveries could not be prepared; they are sent later, and no attempt is counted',
          );
        })
        .finally(() => attemptEnded(webhook));
    },

    /** Cuts the attempts of these webhooks, and starts none of theirs that was claimed before they were removed. */
    withdraw(webhooks: readonly number[]): void {
      removed = new Set(webhooks);
      for (const webhook of webhooks) underWay.get(webhook)?.abort.abort();
    },

    /** Whether a delivery is in this replica's hands. */
    isInHand: (delivery: number): boolean => fences.has(delivery),
    running: () => running,
    /** How many wait to be settled or given back. */
    finished: () => finished.length + postponed.length + withdrawn.length,

    takeFinished(limit: number): readonly FinishedAttempt[] {
      const batch = finished.splice(0, limit);
      return batch.map((one) => (currentFence(one) === one.fence ? one : { ...one, fence: currentFence(one) }));
    },

    /** Puts a batch that could not be settled back to the front. */
    putBack(batch: readonly FinishedAttempt[]): void {
      finished.unshift(...batch);
    },

    /** Takes deliveries that are to be given back: those that wait for Steward itself, or those of removed webhooks. */
    take: (which: 'postponed' | 'withdrawn', limit: number): readonly ClaimedDelivery[] =>
      unsentBy[which].splice(0, limit).map((one) => ({ ...one, fence: currentFence(one) })),

    /** Puts deliveries that could not be given back to the front. */
    putBackUnsent(which: 'postponed' | 'withdrawn', batch: readonly ClaimedDelivery[]): void {
      unsentBy[which].unshift(...batch);
    },

    isClaimedAgain,

    /**
     * The outcomes, by delivery, that the store refused because this replica itself has claimed the delivery again. They are settled with
     * the new claim; the delivery would otherwise be sent a second time.
     */
    claimedAgain(
      batch: readonly FinishedAttempt[],
      settled: readonly SettledDelivery[],
    ): ReadonlyMap<number, FinishedAttempt> {
      const lost = new Set(settled.filter(({ verdict }) => verdict === 'lost').map(({ delivery }) => delivery));
      const again = batch.filter((one) => lost.has(one.delivery) && isClaimedAgain(one));
      return new Map(again.map((one) => [one.delivery, one]));
    },

    settled(delivery: number, webhook: number): void {
      fences.delete(delivery);
      schedule.freeSlot(webhook);
    },

    /** Ends running attempts. Those that got no answer count as unsent. */
    abort(): void {
      isAborted = true;
      for (const { abort } of underWay.values()) abort.abort();
    },
    unsent: () =>
      [...unsent, ...postponed, ...withdrawn].map(({ delivery, fence }) => ({
        delivery,
        fence: currentFence({ delivery, fence }),
      })),
  };
}

import type { Clock } from '../../foundation/clock.ts';
import { SECOND } from '../../foundation/clock.ts';
import { reasonOf } from '../../foundation/errors.ts';
import type { Log } from '../../foundation/log.ts';
import { afterAttempt } from './attemptRules.ts';
import type { DeliveryCounters } from './deliveryCounters.ts';
import { bodyOf, eventOfAnnouncement } from './event.ts';
import type { Outgoing } from './signedRequest.ts';
import { signedRequest } from './signedRequest.ts';
import type { DeliveryPolicy } from '../policy/policy.ts';
import type { Receiver } from '../ports/receiver.ts';
import type { Schedule } from './schedule.ts';
import { afterFailures } from '../subscriptions/webhook.ts';
import type { FinishedAttempt, ClaimedDelivery, SettleRules, WebhookStore } from '../ports/webhookStore.ts';

export interface CourierNeeds {
  readonly store: WebhookStore;
  readonly receiver: Receiver;
  readonly outgoing: Outgoing;
  readonly policy: () => Promise<DeliveryPolicy>;
  readonly schedule: Schedule;
  readonly counters: DeliveryCounters;
  readonly clock: Clock;
  readonly log: Log;
  /** Names this process among the replicas. */
  readonly owner: string;
  readonly pacePerSecond: number;
}

export interface Courier {
  /** Lets what is under way end for a while, then gives back what is left. */
  stop(): Promise<void>;
}

interface Terms {
  readonly timeoutMs: number;
  readonly leaseUntil: number;
}

/** A lease is longer than the time-out by this: time to write down what came of it. */
const LEASE_MARGIN_MS = 10 * SECOND;
const ANNOUNCED_AT_ONCE = 50;
/** In one turn, so that an import of thousands does not keep the deliveries waiting. */
const ANNOUNCED_BATCHES = 10;
const LOOK_EVERY_MS = 250;
/**
 * What comes within this time is written together. With few under way it is short, so that one delivery does not wait; with
 * many it is longer, so that they cost less, and so that the process has time for who asks it something else.
 */
const GATHER_MS = { few: 1, many: 8 };
const MANY = 64;
/** Until there is a full batch, but no more than so many times. */
const GATHERED_AT_MOST = 3;
const AFTER_TROUBLE_MS = SECOND;
const STOPS_WITHIN_MS = 5 * SECOND;

const RULES: SettleRules = {
  verdict: ({ outcome, endedAt }, seen, policy) => afterAttempt(outcome, { ...seen, endedAt }, policy),
  afterFailures,
};

/**
 * One loop: claims what is due and starts it, and beside that writes down what came of the attempts that have ended. A slot is
 * free again when its outcome is safe, so that a store that is away stops the courier instead of filling its memory.
 */
export function startCourier(needs: CourierNeeds): Courier {
  const { store, receiver, schedule, clock, log, counters } = needs;
  const stopping = new AbortController();
  const aborting = new AbortController();
  const ended: FinishedAttempt[] = [];
  const unsent: ClaimedDelivery[] = [];
  /** The fence of every delivery that is in our hands, by its id. */
  const fences = new Map<number, number>();
  const inFlight = { count: 0 };
  let lookAt = 0;
  let troubledUntil = 0;
  let settling: Promise<void> | undefined;

  async function attempt(claimed: ClaimedDelivery, { timeoutMs, leaseUntil }: Terms): Promise<void> {
    const { delivery, webhook, fence } = claimed;
    const known = await needs.outgoing.find(webhook, claimed.revision);
    if (known === undefined) throw new Error(`webhook ${webhook} is gone`);
    const startedAt = clock.now();
    // Too late to be written down within the lease: whoever claims it next sends it.
    if (startedAt + timeoutMs > leaseUntil) throw new Error('the store took longer than the lease allows');
    const message = { id: claimed.messageId, attempt: claimed.attempts + 1, body: claimed.body };
    const outcome = await receiver.send(signedRequest(known, message, { now: startedAt, timeoutMs }), aborting.signal);
    if (aborting.signal.aborted && outcome.kind === 'unreachable') unsent.push(claimed);
    else ended.push({ delivery, webhook, fence, startedAt, endedAt: clock.now(), outcome });
  }

  /** What goes wrong before anything is sent is our own trouble: the receiver is not charged, and the lease runs out. */
  function start(claimed: ClaimedDelivery, terms: Terms): void {
    const { delivery, webhook, fence } = claimed;
    const isHeld = fences.has(delivery);
    fences.set(delivery, fence);
    // The store has forgotten our claim in a crash of its own; what is under way goes on under the new one.
    if (isHeld) return schedule.free(webhook);
    inFlight.count += 1;
    attempt(claimed, terms)
      .catch((error: unknown) => {
        fences.delete(delivery);
        schedule.free(webhook);
        log.error({ delivery, reason: reasonOf(error) }, 'a delivery could not be prepared');
      })
      .finally(() => {
        inFlight.count -= 1;
        schedule.nudge();
      });
  }

  async function settleBatch(): Promise<void> {
    const batch = ended.splice(0, store.batchSize);
    try {
      const held = batch.map((one) => ({ ...one, fence: fences.get(one.delivery) ?? one.fence }));
      const { settled, deactivated } = await store.settle(needs.owner, held, RULES);
      counters.settled(batch, settled, deactivated);
      for (const { delivery, webhook, verdict } of settled) {
        fences.delete(delivery);
        schedule.free(webhook);
        if (verdict !== 'lost' && verdict.kind === 'retry') schedule.due(webhook, verdict.at);
      }
    } catch (error) {
      ended.unshift(...batch);
      troubled(error);
    } finally {
      settling = undefined;
      schedule.nudge();
    }
  }

  function troubled(error: unknown): void {
    troubledUntil = clock.now() + AFTER_TROUBLE_MS;
    log.warn({ reason: reasonOf(error) }, 'the courier could not reach the store; it will try again');
  }

  async function claim(timeoutMs: number): Promise<boolean> {
    const webhooks = stopping.signal.aborted ? [] : schedule.take(clock.now());
    if (webhooks.length === 0) return false;
    const leaseUntil = clock.now() + timeoutMs + LEASE_MARGIN_MS;
    try {
      const { claimed, pacedUntil: later } = await store.claim({
        now: clock.now(),
        leaseUntil,
        owner: needs.owner,
        pacePerSecond: needs.pacePerSecond,
        quotas: webhooks,
      });
      schedule.claimed(webhooks, claimed, later);
      for (const one of claimed) start(one, { timeoutMs, leaseUntil });
      return claimed.length > 0;
    } catch (error) {
      schedule.claimed(webhooks, [], new Map());
      throw error;
    }
  }

  async function announce(): Promise<void> {
    for (let batch = 0; batch < ANNOUNCED_BATCHES; batch += 1) {
      const taken = await store.takeAnnouncements(ANNOUNCED_AT_ONCE, eventOfAnnouncement, bodyOf);
      if (taken === undefined) return;
      counters.accepted(taken.events.length);
    }
  }

  async function turn(): Promise<boolean> {
    // A time too far ahead is of a clock that was set back.
    const isLook = clock.now() >= lookAt || lookAt - clock.now() > LOOK_EVERY_MS;
    if (isLook) {
      lookAt = clock.now() + LOOK_EVERY_MS;
      await announce();
      await store.expireClaims(clock.now());
      await schedule.look(store.dueTimes);
    }
    const timeoutMs = (await needs.policy()).notificationTimeOutInSeconds * SECOND;
    return claim(timeoutMs);
  }

  async function tryTurn(): Promise<boolean> {
    try {
      return await turn();
    } catch (error) {
      troubled(error);
      return false;
    }
  }

  const isBusy = (): boolean => schedule.inFlight() >= MANY;

  async function gather(): Promise<void> {
    await clock.sleep(isBusy() ? GATHER_MS.many : GATHER_MS.few);
    for (let more = 0; more < GATHERED_AT_MOST && isBusy(); more += 1) {
      if (ended.length === 0 || ended.length >= store.batchSize) return;
      await clock.sleep(GATHER_MS.many);
    }
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted || inFlight.count > 0 || ended.length > 0 || settling !== undefined) {
      // Beside the claims: what is due does not wait until what has ended is on disk.
      if (ended.length > 0 && clock.now() >= troubledUntil) settling ??= settleBatch();
      const hasClaimed = await tryTurn();
      troubledUntil = Math.min(troubledUntil, clock.now() + AFTER_TROUBLE_MS);
      const isTroubled = troubledUntil > clock.now();
      if (!isTroubled && (hasClaimed || (isBusy() && ended.length > 0))) await gather();
      else {
        const until = Math.max(troubledUntil, Math.min(lookAt, schedule.nextDue()));
        await schedule.rest(clock, Math.max(1, until - clock.now()), isTroubled);
      }
      if (aborting.signal.aborted && inFlight.count === 0 && troubledUntil > clock.now()) break;
    }
    await settling;
  }

  const running = run();
  return {
    async stop() {
      stopping.abort();
      schedule.nudge();
      const losePatience = async (): Promise<void> => {
        await clock.sleep(STOPS_WITHIN_MS, aborting.signal);
        aborting.abort();
        schedule.nudge();
      };
      const patience = losePatience();
      await running;
      aborting.abort();
      await patience;
      const held = unsent.map(({ delivery, fence }) => ({ delivery, fence: fences.get(delivery) ?? fence }));
      await store.returnClaims(held, clock.now()).catch((error: unknown) => {
        log.warn({ reason: reasonOf(error) }, 'claimed deliveries could not be given back; their leases will run out');
      });
    },
  };
}

// Decides what the courier does next: a pure function of its state, its load and the time. courier.ts acts on it. One round:
//
//   settle ─────────→ poll ───→ claim ──→ gather or rest ──→ next round, or stop
//   if attempts       if due
//   have finished
//
// A settlement runs beside the next steps.
import { SECOND } from '../../foundation/clock.ts';

const POLL_EVERY_MS = 250;
/**
 * Outcomes that arrive while the courier gathers are settled together. With few attempts under way the time is short, so that a
 * single delivery does not wait; with many it is longer, which makes each cheaper and leaves time for other requests.
 */
export const GATHER_MS = { short: 1, long: 8 };
const MANY = 64;
/** After the first gathering, as long as there is less than a full batch. */
const MORE_GATHERINGS = 3;
const TROUBLE_MS = SECOND;

export interface CourierState {
  readonly lastStep: CourierStep['kind'];
  /** Whether the claim of this round got any delivery. */
  readonly hasClaimed: boolean;
  /** How many times the courier has gathered since it last began to settle, or rested. */
  readonly gatherings: number;
  /** Whether a settlement has ended, and so has freed slots, since the last claim began. */
  readonly hasFreedSlots: boolean;
  /** Settling runs beside the rounds: due deliveries do not wait for the disk for long. */
  readonly isSettling: boolean;
  readonly nextPollAt: number;
  /** The store failed: the courier rests until this time, and settles nothing before it. */
  readonly troubledUntil: number;
  /** `drain` finishes what is under way; `abort` also ends running attempts, and gives up on a store that is away. */
  readonly stop: 'none' | 'drain' | 'abort';
}

export interface CourierLoad {
  readonly runningAttempts: number;
  /** Attempts that have finished and wait to be settled. */
  readonly finishedAttempts: number;
  readonly busySlots: number;
  readonly batchSize: number;
}

export type CourierStep =
  | { readonly kind: 'settle' }
  | { readonly kind: 'poll' }
  | { readonly kind: 'claim' }
  /** A long gathering ends early when a settlement has freed slots, when a batch is full, or when no attempt is under way. */
  | { readonly kind: 'gather'; readonly isLong: boolean }
  /** In trouble only time helps, so a rest in trouble cannot be ended early. */
  | { readonly kind: 'rest'; readonly isTroubled: boolean }
  | { readonly kind: 'stop' };

export const INITIAL_STATE: CourierState = {
  lastStep: 'rest',
  hasClaimed: false,
  gatherings: 0,
  hasFreedSlots: false,
  isSettling: false,
  nextPollAt: 0,
  troubledUntil: 0,
  stop: 'none',
};

/** The state after something has begun or ended. */
export const after = {
  settleStarted: (state: CourierState): CourierState => ({
    ...state,
    lastStep: 'settle',
    isSettling: true,
    gatherings: 0,
  }),
  settleEnded: (state: CourierState): CourierState => ({ ...state, isSettling: false, hasFreedSlots: true }),
  pollStarted: (state: CourierState, now: number): CourierState => ({
    ...state,
    lastStep: 'poll',
    nextPollAt: now + POLL_EVERY_MS,
  }),
  claimStarted: (state: CourierState): CourierState => ({ ...state, hasFreedSlots: false }),
  claimEnded: (state: CourierState, claimed: number, now: number): CourierState => ({
    ...state,
    lastStep: 'claim',
    hasClaimed: claimed > 0,
    // A clock that was set back must not prolong the trouble.
    troubledUntil: Math.min(state.troubledUntil, now + TROUBLE_MS),
  }),
  gathered: (state: CourierState): CourierState => ({
    ...state,
    lastStep: 'gather',
    gatherings: state.gatherings + 1,
  }),
  rested: (state: CourierState): CourierState => ({ ...state, lastStep: 'rest', gatherings: 0 }),
  storeFailed: (state: CourierState, now: number): CourierState => ({ ...state, troubledUntil: now + TROUBLE_MS }),
  stopRequested: (state: CourierState): CourierState => ({ ...state, stop: 'drain' }),
  patienceLost: (state: CourierState): CourierState => ({ ...state, stop: 'abort' }),
};

function isBusy({ busySlots }: CourierLoad): boolean {
  return busySlots >= MANY;
}

function isTroubled({ troubledUntil }: CourierState, now: number): boolean {
  return troubledUntil > now;
}

/**
 * A poll is never planned further ahead than one interval. If it seems to be, the clock was set back: poll now instead of
 * waiting until the clock reaches the old time again.
 */
function isPollDue({ nextPollAt }: CourierState, now: number): boolean {
  return now >= nextPollAt || nextPollAt - now > POLL_EVERY_MS;
}

function isOver(state: CourierState, load: CourierLoad, now: number): boolean {
  if (state.stop === 'none' || load.runningAttempts > 0) return false;
  if (load.finishedAttempts === 0 && !state.isSettling) return true;
  return state.stop === 'abort' && isTroubled(state, now);
}

function gatherOrRest(state: CourierState, load: CourierLoad, now: number): CourierStep {
  if (isTroubled(state, now)) return { kind: 'rest', isTroubled: true };
  if (state.hasClaimed || (isBusy(load) && load.finishedAttempts > 0)) return { kind: 'gather', isLong: isBusy(load) };
  return { kind: 'rest', isTroubled: false };
}

/**
 * Tells whether there is a part of a batch to which more outcomes may come. The slots of a few webhooks are fewer than a batch, so it
 * need not become full.
 */
export function hasGrowingBatch({ runningAttempts, finishedAttempts, batchSize }: CourierLoad): boolean {
  return runningAttempts > 0 && finishedAttempts > 0 && finishedAttempts < batchSize;
}

export function nextStep(state: CourierState, load: CourierLoad, now: number): CourierStep {
  const { lastStep, hasFreedSlots } = state;
  const canSettle = load.finishedAttempts > 0 && !state.isSettling && !isTroubled(state, now);
  if (lastStep === 'claim')
    return canSettle && !hasGrowingBatch(load) ? { kind: 'settle' } : gatherOrRest(state, load, now);
  if (lastStep === 'gather' && state.gatherings <= MORE_GATHERINGS && isBusy(load) && hasGrowingBatch(load))
    return hasFreedSlots ? { kind: 'claim' } : { kind: 'gather', isLong: true };
  if (lastStep === 'gather' || lastStep === 'rest') {
    if (isOver(state, load, now)) return { kind: 'stop' };
    if (canSettle) return { kind: 'settle' };
  }
  if (lastStep !== 'poll' && isPollDue(state, now)) return { kind: 'poll' };
  // A busy courier claims as many as a settlement frees, instead of a few before and a few after its end, unless that takes long.
  const isSlow = state.gatherings > MORE_GATHERINGS;
  if (lastStep !== 'rest' && isBusy(load) && state.isSettling && !hasFreedSlots && !isSlow)
    return { kind: 'gather', isLong: true };
  return { kind: 'claim' };
}

/** How long to rest: until the next poll or the next due delivery, and at least until the trouble is over. */
export function restMs({ troubledUntil, nextPollAt }: CourierState, nextDueAt: number, now: number): number {
  return Math.max(1, Math.max(troubledUntil, Math.min(nextPollAt, nextDueAt)) - now);
}

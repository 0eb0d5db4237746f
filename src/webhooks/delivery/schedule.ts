import type { Clock } from '../../foundation/clock.ts';
import type { ClaimQuota, ClaimedDelivery } from '../ports/webhookStore.ts';

/** In one claim, as many webhooks as this times the deliveries of a batch: each may have only one. */
const PLACES = 8;

/**
 * What this replica knows of when each webhook has something due, and how many slots it has free. Every webhook has its own
 * few slots, and who was served last comes last: one that hangs holds its own slots and nobody else's.
 */
export function createSchedule(limits: {
  readonly total: number;
  readonly perWebhook: number;
  /** Of one claim. */
  readonly atOnce: number;
}) {
  let dueAt = new Map<number, number>();
  /** Heard of since the store was last asked, so that its answer may not know of them. */
  const heard = new Set<number>();
  const busy = new Map<number, number>();
  let busyInAll = 0;
  let wake: (() => void) | undefined;
  let isNudged = false;

  function nudge(): void {
    isNudged = true;
    wake?.();
  }

  function occupy(number: number, count: number): void {
    const now = (busy.get(number) ?? 0) + count;
    busyInAll += count;
    if (now === 0) busy.delete(number);
    else busy.set(number, now);
  }

  function due(number: number, at: number): void {
    if (at < (dueAt.get(number) ?? Number.POSITIVE_INFINITY)) dueAt.set(number, at);
    heard.add(number);
    nudge();
  }

  return {
    nudge,
    due,
    inFlight: () => busyInAll,
    /** The earliest time at which something is due, as far as is known. */
    nextDue: (): number => {
      let next = Number.POSITIVE_INFINITY;
      for (const [number, at] of dueAt)
        if (at < next && (busy.get(number) ?? 0) < limits.perWebhook && busyInAll < limits.total) next = at;
      return next;
    },

    /** The store's own answer takes the place of what was known before it was asked. */
    async look(ask: () => Promise<ReadonlyMap<number, number>>): Promise<void> {
      heard.clear();
      const times = await ask();
      // In the order of before: who waits longest since it was served stays in front.
      const known = [...dueAt].filter(([number]) => times.has(number) || heard.has(number));
      const fresh = [...times].filter(([number]) => !dueAt.has(number));
      dueAt = new Map(
        [...known, ...fresh].map(([number, at]) => [
          number,
          heard.has(number) ? Math.min(at, times.get(number) ?? at) : (times.get(number) ?? at),
        ]),
      );
    },

    /**
     * Who may claim how much now: all who have something due get an equal share of a batch, and go to the back. One that has
     * no slot free keeps its place in turn, so that for the others nothing changes. The slots are taken until `claimed` tells.
     */
    take(now: number): readonly ClaimQuota[] {
      const inTurn = [...dueAt].filter(([, at]) => at <= now).slice(0, PLACES * limits.atOnce);
      const share = Math.max(1, Math.ceil(limits.atOnce / inTurn.length));
      const wanted: ClaimQuota[] = [];
      for (const [number, at] of inTurn) {
        const left = Math.min(limits.perWebhook - (busy.get(number) ?? 0), limits.total - busyInAll);
        dueAt.delete(number);
        if (left <= 0) dueAt.set(number, at);
        else {
          const limit = Math.min(share, left);
          occupy(number, limit);
          wanted.push({ number, limit });
        }
      }
      return wanted;
    },

    /** Who got all it could take comes again, at the back; who got less has nothing due but what was heard of meanwhile. */
    claimed(
      wanted: readonly ClaimQuota[],
      claimed: readonly ClaimedDelivery[],
      later: ReadonlyMap<number, number>,
    ): void {
      const counts = new Map<number, number>();
      for (const { webhook } of claimed) counts.set(webhook, (counts.get(webhook) ?? 0) + 1);
      for (const { number, limit } of wanted) {
        const count = counts.get(number) ?? 0;
        occupy(number, count - limit);
        const at = later.get(number) ?? (count === limit ? 0 : undefined);
        if (at !== undefined) dueAt.set(number, at);
      }
    },

    /** The outcome of an attempt is safe, or will never be known here. */
    free(number: number): void {
      occupy(number, -1);
    },

    /** Until something happens, but no longer than this. In trouble only time helps. */
    async rest(clock: Clock, ms: number, isTroubled: boolean): Promise<void> {
      if (isNudged && !isTroubled) {
        isNudged = false;
        return;
      }
      const resting = new AbortController();
      wake = isTroubled ? undefined : () => resting.abort();
      await clock.sleep(ms, resting.signal);
      wake = undefined;
      isNudged = false;
    },
  };
}

export type Schedule = ReturnType<typeof createSchedule>;

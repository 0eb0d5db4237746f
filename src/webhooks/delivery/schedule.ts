// Which webhooks may claim how many deliveries now: when each is due, and how many slots it has free. Every webhook has a
// limited number of slots, and the one that was served last comes last: a receiver that hangs blocks only its own slots.
import type { ClaimQuota, ClaimResult } from '../ports/webhookStore.ts';

/** One claim may cover this many times more webhooks than a batch has deliveries: each may have only one due. */
const WEBHOOKS_PER_DELIVERY = 8;

type DueTimes = ReadonlyMap<number, number>;

/**
 * Combines the known due times with those that the store has just returned. The store's answer wins, except for webhooks that
 * were marked due since it was asked: it may not know these yet. The order, and with it each webhook's turn, is kept.
 */
export function mergeDueTimes(known: DueTimes, stored: DueTimes, markedSince: ReadonlySet<number>) {
  const merged = new Map<number, number>();
  for (const [number, at] of known) {
    const storedAt = stored.get(number);
    if (markedSince.has(number)) merged.set(number, Math.min(at, storedAt ?? at));
    else if (storedAt !== undefined) merged.set(number, storedAt);
  }
  for (const [number, at] of stored) if (!merged.has(number)) merged.set(number, at);
  return merged;
}

/** The first webhooks that are due, in their order. */
function dueWebhooks(dueAt: DueTimes, now: number, limit: number): readonly (readonly [number, number])[] {
  const due: (readonly [number, number])[] = [];
  for (const entry of dueAt) {
    if (due.length === limit) break;
    if (entry[1] <= now) due.push(entry);
  }
  return due;
}

/** `total` and `perWebhook` count slots; `batchSize` is the number of deliveries that one claim should get. */
export function createSchedule({
  total,
  perWebhook,
  batchSize,
}: Readonly<Record<'total' | 'perWebhook' | 'batchSize', number>>) {
  /** By number of the webhook; the first entry was served longest ago. */
  let dueAt = new Map<number, number>();
  const markedSinceRefresh = new Set<number>();
  const busy = new Map<number, number>();
  let busyTotal = 0;
  let oldestDueAt = Number.POSITIVE_INFINITY;

  const freeSlots = (number: number): number => Math.min(perWebhook - (busy.get(number) ?? 0), total - busyTotal);

  function occupy(number: number, count: number): void {
    const occupied = (busy.get(number) ?? 0) + count;
    busyTotal += count;
    if (occupied === 0) busy.delete(number);
    else busy.set(number, occupied);
  }

  return {
    /** How many deliveries are claimed and not yet settled. */
    busySlots: () => busyTotal,

    markDue(number: number, at: number): void {
      if (at < (dueAt.get(number) ?? Number.POSITIVE_INFINITY)) dueAt.set(number, at);
      markedSinceRefresh.add(number);
    },

    /** The earliest known time at which a webhook with a free slot is due. */
    nextDueAt(): number {
      let next = Number.POSITIVE_INFINITY;
      for (const [number, at] of dueAt) if (at < next && freeSlots(number) > 0) next = at;
      return next;
    },

    /** When the delivery was due that had waited longest at the last refresh; infinite if none was waiting. */
    oldestDueAt: () => oldestDueAt,

    async refresh(readDueTimes: () => Promise<DueTimes>): Promise<void> {
      markedSinceRefresh.clear();
      const stored = await readDueTimes();
      oldestDueAt = Number.POSITIVE_INFINITY;
      for (const at of stored.values()) oldestDueAt = Math.min(oldestDueAt, at);
      dueAt = mergeDueTimes(dueAt, stored, markedSinceRefresh);
    },

    /**
     * Gives every due webhook an equal share of a batch and moves it to the end. A webhook without a free slot moves along and
     * stays due, so that the order among the webhooks is kept. The slots are occupied until `recordClaim`.
     */
    takeQuotas(now: number): readonly ClaimQuota[] {
      const due = dueWebhooks(dueAt, now, WEBHOOKS_PER_DELIVERY * batchSize);
      const share = Math.max(1, Math.ceil(batchSize / due.length));
      const quotas: ClaimQuota[] = [];
      for (const [number, at] of due) {
        const limit = Math.min(share, freeSlots(number));
        dueAt.delete(number);
        if (limit <= 0) dueAt.set(number, at);
        else {
          occupy(number, limit);
          quotas.push({ number, limit });
        }
      }
      return quotas;
    },

    /** Frees the slots that the claim did not use. A webhook that used its whole quota is due again, at the end. */
    recordClaim(quotas: readonly ClaimQuota[], { claimed, dueAgain }: ClaimResult): void {
      const counts = new Map<number, number>();
      for (const { webhook } of claimed) counts.set(webhook, (counts.get(webhook) ?? 0) + 1);
      for (const { number, limit } of quotas) {
        const count = counts.get(number) ?? 0;
        occupy(number, count - limit);
        const at = dueAgain.get(number) ?? (count === limit ? 0 : undefined);
        if (at !== undefined) dueAt.set(number, at);
      }
    },

    /** Frees the slot of a delivery that is settled, or that this replica gives up. */
    freeSlot(number: number): void {
      occupy(number, -1);
    },
  };
}

export type Schedule = ReturnType<typeof createSchedule>;

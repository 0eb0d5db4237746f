// What happens in the area as a whole: counts over all webhooks, deliveries per minute, and webhooks that fail.
import type { Clock } from '../../foundation/clock.ts';
import { MINUTE } from '../../foundation/clock.ts';
import type { FailureWindow } from '../policy/failureWindow.ts';
import { isNearDeactivation, windowAt } from '../policy/failureWindow.ts';
import type { DeliveryPolicy } from '../../model/entity/deliveryPolicy.ts';
import type { ActivityStore } from '../ports/activityStore.ts';
import type { Ledger, Webhook } from '../ports/webhookStore.ts';

export interface Totals extends Pick<Ledger, 'accepted' | 'delivered' | 'failed' | 'discarded'> {
  readonly webhooks: number;
  readonly inactive: number;
  readonly pending: number;
  readonly held: number;
}

/** The deliveries that ended within a minute. */
export interface MinuteCount {
  readonly at: number;
  readonly delivered: number;
  readonly failed: number;
}

export interface NearDeactivation {
  readonly webhook: Webhook;
  readonly window: FailureWindow;
}

const MINUTES_SHOWN = 60;
const MOST_FAILING = 500;

export interface ActivityDependencies {
  readonly store: Omit<ActivityStore, 'troubledWebhooks'>;
  readonly clock: Clock;
  readonly policy: () => Promise<DeliveryPolicy>;
}

type Row = Awaited<ReturnType<ActivityStore['totals']>>[number];

function waitingIn({ accepted, delivered, failed, discarded }: Row): number {
  return accepted - delivered - failed - discarded;
}

/** Adds up the rows of active and inactive webhooks. What an inactive one has not sent is held. */
export function sumTotals(rows: readonly Row[]): Totals {
  const sum = (of: (row: Row) => number, from = rows): number => from.reduce((all, row) => all + of(row), 0);
  const [active, inactive] = [rows.filter(({ isActive }) => isActive), rows.filter(({ isActive }) => !isActive)];
  return {
    webhooks: sum(({ webhooks }) => webhooks),
    inactive: sum(({ webhooks }) => webhooks, inactive),
    accepted: sum(({ accepted }) => accepted),
    delivered: sum(({ delivered }) => delivered),
    pending: sum(waitingIn, active),
    held: sum(waitingIn, inactive),
    failed: sum(({ failed }) => failed),
    discarded: sum(({ discarded }) => discarded),
  };
}

export function createActivity({ store, clock, policy }: ActivityDependencies) {
  /** The counts of minutes by their start. A minute that is over does not change, so it is counted once. */
  const counted = new Map<number, MinuteCount>();

  return {
    totals: async (): Promise<Totals> => sumTotals(await store.totals()),

    /** The last hour, oldest first, with the present minute last. */
    async perMinute(): Promise<readonly MinuteCount[]> {
      const present = Math.floor(clock.now() / MINUTE) * MINUTE;
      const shown = Array.from({ length: MINUTES_SHOWN }, (_, n) => present - (MINUTES_SHOWN - 1 - n) * MINUTE);
      for (const at of counted.keys()) if (at < (shown[0] ?? 0)) counted.delete(at);
      // The last two minutes are counted again: other replicas may have written the one that is just over a moment late.
      const from = shown.find((at) => !counted.has(at) || at >= present - MINUTE) ?? present;
      const found = await store.settledPerMinute(from);
      const countOf = (at: number, state: 'delivered' | 'failed'): number =>
        found.find((one) => one.at === at && one.state === state)?.count ?? 0;
      for (const at of shown.filter((one) => one >= from))
        counted.set(at, { at, delivered: countOf(at, 'delivered'), failed: countOf(at, 'failed') });
      return shown.flatMap((at) => counted.get(at) ?? []);
    },

    /** The active webhooks with at least half of the failures that deactivate them, the nearest first. */
    async nearDeactivation(): Promise<readonly NearDeactivation[]> {
      const current = await policy();
      const found = (await store.failingWebhooks(MOST_FAILING)).flatMap((webhook) => {
        const window = windowAt(webhook.failures, current, clock.now());
        return window !== undefined && isNearDeactivation(window) ? [{ webhook, window }] : [];
      });
      return found.toSorted((one, other) => other.window.failures - one.window.failures);
    },
  };
}

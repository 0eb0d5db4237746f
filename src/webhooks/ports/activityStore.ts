import type { Ledger, Webhook } from './webhookStore.ts';

/** Sums over all webhooks and deliveries. */
export interface ActivityStore {
  /** The sums of the ledgers, of active and of inactive webhooks. */
  totals(): Promise<
    readonly (Pick<Ledger, 'accepted' | 'delivered' | 'failed' | 'discarded'> & {
      readonly isActive: boolean;
      readonly webhooks: number;
    })[]
  >;
  /** Counts the webhooks by the mark of the master key that their secrets are sealed with. */
  sealedWith(): Promise<readonly { readonly keyMark: string; readonly webhooks: number }[]>;
  /** Counts the deliveries that ended in each minute since a time. */
  settledPerMinute(
    from: number,
  ): Promise<readonly { readonly at: number; readonly state: 'delivered' | 'failed'; readonly count: number }[]>;
  /** Active webhooks with failures on record, at most `limit`. */
  failingWebhooks(limit: number): Promise<readonly Webhook[]>;
}

import type { Ledger, Webhook, WebhookWithLedger } from './webhookStore.ts';

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
  /**
   * Webhooks that may need a person, at most `limit`: active ones with failures on record, whose last attempt was not accepted or
   * whose secrets have one of these key marks, and deactivated ones.
   */
  troubledWebhooks(keyMarks: readonly string[], limit: number): Promise<readonly WebhookWithLedger[]>;
}

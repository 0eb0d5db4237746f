import type { WebhookHealth } from '../../model/webhookHealth.ts';
import type { WebhookWithLedger } from '../ports/webhookStore.ts';

/** The health of a webhook. Without its secrets nothing is sent for it, whatever its receiver has answered before. */
export function healthOf({ webhook, ledger: { last } }: WebhookWithLedger, isReadable: boolean): WebhookHealth {
  if (!webhook.active) return 'deactivated';
  if (!isReadable) return 'unreadable';
  if (last === undefined) return 'unused';
  return last.kind === 'accepted' ? 'healthy' : 'failing';
}

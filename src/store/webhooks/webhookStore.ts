import type { ActivityStore } from '../../webhooks/ports/activityStore.ts';
import type { WebhookStore } from '../../webhooks/ports/webhookStore.ts';
import type { TableDependencies } from '../transaction.ts';
import { activityMethods } from './activity.ts';
import { claimMethods } from './claims/claims.ts';
import { deliveryMethods } from './deliveries.ts';
import { eventMethods } from './events.ts';
import { resendMethods } from './resends.ts';
import { retentionMethods } from './retention.ts';
import { settlementMethods } from './settlements.ts';
import { webhookMethods } from './webhooks.ts';

/** Implements the port of the webhooks area. */
export function createWebhookStore(dependencies: TableDependencies): WebhookStore & ActivityStore {
  return {
    ...webhookMethods(dependencies),
    ...eventMethods(dependencies),
    ...claimMethods(dependencies),
    ...settlementMethods(dependencies),
    ...deliveryMethods(dependencies),
    ...resendMethods(dependencies),
    ...retentionMethods(dependencies),
    ...activityMethods(dependencies),
  };
}

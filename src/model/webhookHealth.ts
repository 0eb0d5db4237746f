/** How a webhook does. `unreadable`: the master key of its secrets is missing, so nothing is sent. `failing`: its receiver did not accept the last attempt. */
export const WEBHOOK_HEALTHS = ['deactivated', 'unused', 'healthy', 'failing', 'unreadable'] as const;
export type WebhookHealth = (typeof WEBHOOK_HEALTHS)[number];

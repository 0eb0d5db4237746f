import { StateLabel } from '../parts/text/StateLabel.tsx';
import type { WebhookHealth } from '../../model/webhookHealth.ts';
import { HEALTH } from './health.ts';

export function HealthLabel({ health }: { readonly health: WebhookHealth }) {
  return <StateLabel {...HEALTH[health]} />;
}

import { StateLabel } from '../parts/text/StateLabel.tsx';
import type { Health } from './health.ts';
import { HEALTH } from './health.ts';

export function HealthLabel({ health }: { readonly health: Health }) {
  return <StateLabel {...HEALTH[health]} />;
}

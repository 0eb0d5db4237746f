import type { Access } from '../../access/access.ts';
import type { MetricRegistry } from './exposeMetric.ts';
import { exposeMetric } from './exposeMetric.ts';

/** Registers the sign-ins of this replica: a rise of failures is a guessed password or a forgotten one. */
export function registerAccessMetrics(registry: MetricRegistry, { signIns }: Pick<Access, 'signIns'>): void {
  exposeMetric(
    registry,
    'counter',
    'steward_sign_ins_total',
    'Sign-ins with a password, by outcome: succeeded, failed, or throttled after too many failures.',
    () => Object.entries(signIns).map(([outcome, value]) => ({ value, labels: { outcome } })),
  );
}

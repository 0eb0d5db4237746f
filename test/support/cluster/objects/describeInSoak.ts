import { describe } from 'vitest';
import { IS_SOAK } from '../../run/limits.ts';
import { describeOnCluster } from '../cluster.ts';

/** Defines a suite that takes too long for the gate. */
export function describeInSoak(title: string, suite: () => void): void {
  if (IS_SOAK) describeOnCluster(title, suite);
  else describe.skip(`${title} (left out: npm run soak -- clusterObjects)`, suite);
}

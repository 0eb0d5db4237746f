import { describe } from 'vitest';
import { IS_SOAK } from '../../run/limits.ts';
import { describeOnCluster } from '../cluster.ts';

/** Defines a suite that takes too long for the gate. */
export function describeInSoak(title: string, suite: () => void): void {
  const why = IS_SOAK ? '' : ' (left out: npm run soak -- clusterObjects)';
  describe.skipIf(!IS_SOAK)(`in a soak${why}`, () => {
    describeOnCluster(title, suite);
  });
}

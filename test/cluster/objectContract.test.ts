import { describeOnCluster } from '../support/cluster/cluster.ts';
import { openContractObjects } from '../support/cluster/contractObjects.ts';
import { cleanUpAfterEachTest } from '../support/cluster/testNamespace.ts';
import { IS_SOAK } from '../support/run/limits.ts';
import { objectContract } from '../support/upgrades/objects/objectContract.ts';

describeOnCluster('the Kubernetes driver fulfils the contract of objects:', () => {
  const cleanUp = cleanUpAfterEachTest();
  // Rollouts of whole workloads are in `objectRelease.test.ts`, too.
  objectContract(() => openContractObjects(cleanUp), { hasWorkloads: IS_SOAK });
});

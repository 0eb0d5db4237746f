import { describeOnCluster } from '../support/cluster/cluster.ts';
import { openContractObjects } from '../support/cluster/contractObjects.ts';
import { cleanUpAfterEachTest } from '../support/cluster/testNamespace.ts';
import { objectContract } from '../support/upgrades/objects/objectContract.ts';

describeOnCluster('the Kubernetes driver fulfils the contract of objects:', () => {
  const cleanUp = cleanUpAfterEachTest();
  objectContract(() => openContractObjects(cleanUp));
});

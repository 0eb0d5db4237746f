import { describeOnCluster } from '../support/cluster/cluster.ts';
import { openContractDeployment } from '../support/cluster/contractDeployment.ts';
import { cleanUpAfterEachTest } from '../support/cluster/testNamespace.ts';
import { deploymentContract } from '../support/upgrades/deploymentContract.ts';

describeOnCluster('the Kubernetes driver fulfils the contract of a deployment:', () => {
  const cleanUp = cleanUpAfterEachTest();
  deploymentContract(() => openContractDeployment(cleanUp));
});

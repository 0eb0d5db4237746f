import { connectKubernetes, openKubernetes } from '../../../src/drivers/kubernetes/kubernetesDriver.ts';
import { DEFAULT_SELECTOR } from '../../../src/drivers/kubernetes/workloads/labels.ts';
import { systemClock } from '../../../src/foundation/clock.ts';
import type { Deployment } from '../../../src/upgrades/ports/deployment.ts';
import type { ServiceAccount, TestRight } from './serviceAccount.ts';
import { openServiceAccount } from './serviceAccount.ts';
import type { TestNamespace } from './testNamespace.ts';

interface DriverRights {
  /** Of the account, by default those that are documented, and no others. */
  readonly rights?: readonly TestRight[];
  readonly takeOverFrom?: readonly string[];
  readonly clusterKinds?: readonly string[];
}

/** Opens the Kubernetes driver in a namespace. */
export async function openDriver(
  namespace: TestNamespace,
  cleanUp: (action: () => unknown) => void,
  { rights, takeOverFrom = ['some-installer'], clusterKinds = [] }: DriverRights = {},
): Promise<{ readonly deployment: Deployment; readonly account: ServiceAccount }> {
  const account = await openServiceAccount(namespace, rights);
  cleanUp(account.remove);
  const connection = await connectKubernetes(account);
  cleanUp(connection.close);
  const { deployment, close } = openKubernetes(
    connection,
    {
      namespace: namespace.name,
      selector: DEFAULT_SELECTOR,
      takeOverFrom,
      clusterKinds,
      imageRewrite: [],
      registryCa: undefined,
      registryHttp: [],
    },
    { clock: systemClock, installation: 'test', database: undefined },
  );
  cleanUp(close);
  return { deployment, account };
}

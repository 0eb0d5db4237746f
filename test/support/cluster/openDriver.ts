import { connectKubernetes, openKubernetes } from '../../../src/drivers/kubernetes/kubernetesDriver.ts';
import { DEFAULT_SELECTOR } from '../../../src/drivers/kubernetes/workloads/labels.ts';
import { systemClock } from '../../../src/foundation/clock.ts';
import type { Deployment } from '../../../src/upgrades/ports/deployment.ts';
import type { ServiceAccount } from './serviceAccount.ts';
import { openServiceAccount } from './serviceAccount.ts';
import type { TestNamespace } from './testNamespace.ts';

/** Opens the Kubernetes driver in a namespace, with an account that has the documented rights and no others. */
export async function openDriver(
  namespace: TestNamespace,
  cleanUp: (action: () => unknown) => void,
): Promise<{ readonly deployment: Deployment; readonly account: ServiceAccount }> {
  const account = await openServiceAccount(namespace);
  cleanUp(account.remove);
  const connection = await connectKubernetes(account);
  cleanUp(connection.close);
  const { deployment, close } = openKubernetes(
    connection,
    {
      namespace: namespace.name,
      selector: DEFAULT_SELECTOR,
      takeOverFrom: ['some-installer'],
      clusterKinds: [],
      imageRewrite: [],
      registryCa: undefined,
      registryHttp: [],
    },
    { clock: systemClock, installation: 'test', database: undefined },
  );
  cleanUp(close);
  return { deployment, account };
}

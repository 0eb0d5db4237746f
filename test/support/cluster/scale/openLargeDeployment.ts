import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../run/runFolder.ts';
import type { StewardProcess } from '../../server/stewardProcess.ts';
import { startSteward } from '../../server/stewardProcess.ts';
import type { TestRight } from '../serviceAccount.ts';
import type { ControlPlane } from './controlPlane.ts';
import { startControlPlane } from './controlPlane.ts';
import type { LargeDeployment } from './largeDeployment.ts';
import { ACCOUNT, NAMESPACE, createAccount, createLargeDeployment } from './largeDeployment.ts';
import { ASK_EVERY_MS, memoryWithoutDriver } from './measuredSteward.ts';
import { startTestKubelet } from './testKubelet.ts';
import { openTestRegistry } from './testRegistry.ts';

export interface MeasuredDeployment {
  readonly controlPlane: ControlPlane;
  readonly deployment: LargeDeployment;
  readonly steward: StewardProcess;
  /** Of a server without a deployment, in MB. */
  readonly plainMemory: number;
}

/** Starts a control plane with this many Deployments that are ready, and a Steward beside it. All end with the test. */
export async function openLargeDeployment(count: number, rights?: readonly TestRight[]): Promise<MeasuredDeployment> {
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  const kubeconfig = join(folder.path, 'kubeconfig');
  const registry = await openTestRegistry();
  onTestFinished(() => registry.close());
  const controlPlane = await startControlPlane(ACCOUNT);
  onTestFinished(() => controlPlane.stop());
  await createAccount(controlPlane, kubeconfig, rights);
  const kubelet = startTestKubelet(controlPlane.connection, NAMESPACE);
  onTestFinished(() => kubelet.stop());
  const deployment = await createLargeDeployment(controlPlane, registry, count);
  await expect.poll(() => deployment.readyPods('1.0'), { interval: ASK_EVERY_MS }).toBe(count);
  const plainMemory = await memoryWithoutDriver(join(folder.path, 'plain'));
  const steward = await startSteward({
    data: join(folder.path, 'data'),
    env: {
      STEWARD_DEPLOYMENT: 'kubernetes',
      STEWARD_NAMESPACE: NAMESPACE,
      STEWARD_KUBECONFIG: kubeconfig,
      STEWARD_UPGRADE_PARALLEL: '50',
    },
  });
  onTestFinished(async () => void (await steward.end('SIGKILL')));
  return { controlPlane, deployment, steward, plainMemory };
}

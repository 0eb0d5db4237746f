// A Deployment on the cluster, and what the contract of a deployment does to it.
import { valueAt } from '../../../src/foundation/schema/json.ts';
import { RIGHTS } from '../../../src/drivers/kubernetes/preflight/rights.ts';
import type { BegunAct, Deployment, Observation } from '../../../src/upgrades/ports/deployment.ts';
import { until } from '../run/until.ts';
import type { DeploymentUnderTest } from '../upgrades/deploymentContract.ts';
import { makeImage, signalPart } from './cluster.ts';
import { openImageSwitch } from './imageSwitch.ts';
import { openDriver } from './openDriver.ts';
import type { TestNamespace } from './testNamespace.ts';
import { openNamespace } from './testNamespace.ts';
import { hookObject, workloadObject } from './workloadObjects.ts';

const [IMAGE, NAME, CONTAINER] = ['contract', 'web', 'app'];
/** The inventory does not count the controllers of the cluster itself as managers. */
const UNCOUNTED_MANAGER = 'kube-controller-manager';
const WITHOUT_PATCH = RIGHTS.map((right) => ({ ...right, verbs: right.verbs.filter((verb) => verb !== 'patch') }));

/** Lets the API server answer again. */
export function proceed(): void {
  signalPart('apiserver', 'SIGCONT');
}

function withImage(image: string) {
  return { template: { spec: { containers: [{ name: CONTAINER, image }] } } };
}

/** Notes what is begun, so that it can be waited for. */
export function noted(deployment: Deployment): { readonly deployment: Deployment; readonly begun: BegunAct[] } {
  const begun: BegunAct[] = [];
  return {
    begun,
    deployment: {
      ...deployment,
      async begin(act, fence, signal) {
        const answer = await deployment.begin(act, fence, signal);
        if (answer.kind === 'begun') begun.push({ ...act, receipt: answer.receipt });
        return answer;
      },
    },
  };
}

async function imageOf(namespace: TestNamespace): Promise<string> {
  const path = 'jsonpath={.spec.template.spec.containers[0].image}';
  return namespace.kubectl('get', 'deployment', NAME, '-o', path);
}

async function createObjects(namespace: TestNamespace, image: string, folder: string, command: readonly string[]) {
  await namespace.createAs(
    UNCOUNTED_MANAGER,
    workloadObject({
      kind: 'Deployment',
      name: NAME,
      switchFolder: folder,
      containers: [{ name: CONTAINER, image, command }],
    }),
    hookObject('backup', { name: 'backup', image, command: ['sh', '-c', '/bin/busybox sleep 3; echo saved'] }),
  );
  await until(
    'the first rollout is complete',
    async () => valueAt((await namespace.read('deployment', NAME))?.status, 'availableReplicas') === 1,
  );
}

/** Opens a namespace with a Deployment and a hook, and the driver with an account that has the documented rights only. */
export async function openContractDeployment(cleanUp: (action: () => unknown) => void): Promise<DeploymentUnderTest> {
  const [before, after] = await Promise.all([makeImage(IMAGE, '1.0'), makeImage(IMAGE, '2.0')]);
  const namespace = await openNamespace();
  const images = openImageSwitch();
  cleanUp(images.remove);
  await createObjects(namespace, before.tagged, images.folder, images.command);
  const opened = await openDriver(namespace, cleanUp);
  const { account } = opened;
  const { deployment, begun } = noted(opened.deployment);
  let heals = false;
  let reverted: Promise<void> | undefined;

  function isSettled({ state }: Observation): boolean {
    if (state === 'failed' && heals) images.repair();
    return state !== 'running' && state !== 'unknown' && !(state === 'failed' && heals);
  }

  return {
    deployment,
    workload: `Deployment/${NAME}`,
    next: [{ container: CONTAINER, image: after.reference, checksum: after.checksum }],
    wrong: [{ container: CONTAINER, image: after.tagged, checksum: `sha256:${'0'.repeat(64)}` }],
    hook: 'backup',
    settle: async () => {
      await reverted;
      await until('all that was begun has ended', async () => (await deployment.observe(begun)).every(isSettled));
    },
    breakNext: async () => {
      images.breakImage(IMAGE, '2.0');
      return async () => images.repair();
    },
    breakForAWhile: async () => {
      heals = true;
      images.breakImage(IMAGE, '2.0');
    },
    // A real API server shows a change at once. Its watch may be late, and `settle` observes by it.
    lag: async () => undefined,
    hang: async () => {
      signalPart('apiserver', 'SIGSTOP');
      cleanUp(proceed);
      return async () => proceed();
    },
    forbid: async () => {
      await account.grant(WITHOUT_PATCH);
      return () => account.grant(RIGHTS);
    },
    revertNext: async () => {
      let isOver = false;
      cleanUp(() => (isOver = true));
      reverted = until(
        'the image is changed',
        async () => isOver || (await imageOf(namespace)) === after.reference,
      ).then(() => (isOver ? undefined : namespace.patch('deployment', NAME, { spec: withImage(before.tagged) })));
      reverted.catch(() => undefined);
    },
    manage: async ({ name }) => {
      const metadata = { name: NAME };
      await namespace.applyAs(name, {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata,
        spec: withImage(before.tagged),
      });
    },
    stall: () =>
      namespace.patch('deployment', NAME, { spec: { template: { spec: { nodeSelector: { disk: 'none' } } } } }),
    block: () => namespace.patch('deployment', NAME, { spec: { paused: true } }),
  };
}

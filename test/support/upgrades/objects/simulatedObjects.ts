import type { NewFault } from '../../../../src/drivers/simulated/state/injectedFault.ts';
import type { SimulatedDeployment } from '../../../../src/drivers/simulated/simulatedDeployment.ts';
import type { ObjectsUnderTest, SampleWorkload } from './objectActs.ts';

/** The images of the sample, without a registry. */
function sampleImage(tag: string) {
  const checksum = `sha256:${tag.repeat(64)}`;
  return { container: 'web', image: `registry.invalid/web@${checksum}`, checksum };
}

/** A Deployment with one container. */
export function sampleWorkload(mode: string, image: 'first' | 'next', name = 'contract'): SampleWorkload {
  const one = sampleImage(image === 'first' ? '1' : '2');
  const labels = { 'app.kubernetes.io/component': 'contract', 'app.kubernetes.io/part-of': 'contract' };
  return {
    images: [one],
    content: {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name, labels, annotations: { 'steward/wave': '30' } },
      spec: {
        replicas: 2,
        selector: { matchLabels: { app: name } },
        template: {
          metadata: { labels: { app: name } },
          spec: { containers: [{ name: 'web', image: one.image, env: [{ name: 'MODE', value: mode }] }] },
        },
      },
    },
  };
}

/** What the contract of objects does to a simulated deployment. */
export function simulatedHooks(deployment: SimulatedDeployment): Pick<ObjectsUnderTest, 'objects' | 'hang' | 'forbid'> {
  async function until(fault: NewFault): Promise<() => Promise<void>> {
    const { id } = await deployment.addFault(fault);
    return async () => void (await deployment.removeFaults(id));
  }
  return {
    hang: () => until({ kind: 'apiHangs', seconds: 3600 }),
    forbid: () => until({ kind: 'forbidden' }),
    objects: {
      workload: sampleWorkload,
      read: async (object) => (await deployment.liveObjects()).get(object),
      place: (content) => deployment.placeObject(content, { name: 'some-person', reconciles: false }),
      manage: deployment.changeObject,
      refuse: (object) => until({ kind: 'objectRefused', workload: object }),
      neverReady: async (workload) => void (await deployment.addFault({ kind: 'objectNeverReady', workload })),
    },
  };
}

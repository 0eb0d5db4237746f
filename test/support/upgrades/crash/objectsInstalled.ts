// A simulated deployment that has the objects of a version, without a job that has installed them.
import type { SimulatedDeployment } from '../../../../src/drivers/simulated/simulatedDeployment.ts';
import type { Version } from '../../../../src/model/version.ts';
import { readBundle } from '../../../../src/model/objects/readBundle.ts';
import { wantedObjects } from '../../../../src/upgrades/plan/objects/wantedObjects.ts';
import type { UpgradeStore } from '../../../../src/upgrades/ports/upgradeStore.ts';
import { bundleOf, checksumOfBundle, withBundle } from '../objects/objectVersions.ts';

/** The version that is installed, and the patch over it. */
export function versionsWithBundles(versions: readonly Version[]): {
  readonly installed: Version;
  readonly next: Version;
} {
  const patch = versions.find(({ update }) => update === 'patch');
  if (patch === undefined) throw new Error('the demo has no patch');
  return {
    installed: withBundle({ ...patch, id: 'pat_objects.1', build: '5000' }, 'a'),
    next: withBundle({ ...patch, id: 'pat_objects.2', build: '5001' }, 'b'),
  };
}

export async function keepBundles(store: Pick<UpgradeStore, 'keepBundle'>): Promise<void> {
  for (const name of ['a', 'b'] as const) await store.keepBundle(checksumOfBundle(name), bundleOf(name));
}

/** Applies all objects of the installed version at once. They are ready a moment later. */
export async function applyFirstBundle(deployment: SimulatedDeployment, installed: Version): Promise<void> {
  const read = readBundle(bundleOf('a'), {});
  if (read.kind !== 'valid') throw new Error(read.problems.join());
  const { fence } = await deployment.view();
  for (const { object, part, stages } of wantedObjects(read.objects, [[installed]], (image) => image)) {
    const { content, images = [] } = stages[0] ?? {};
    const act = {
      kind: 'object',
      object,
      content,
      expected: 'any',
      images: part === 'workloads' ? images : [],
    } as const;
    const begun = await deployment.begin(act, fence);
    if (begun.kind !== 'begun') throw new Error(`${object}: ${JSON.stringify(begun)}`);
  }
}

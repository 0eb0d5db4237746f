import { expect, test } from 'vitest';
import { expectRunning } from '../support/cluster/appVersions.ts';
import { describeOnCluster } from '../support/cluster/cluster.ts';
import { IDS, openAdopted } from '../support/cluster/objects/objectWorld.ts';

/** What 1.0 has and 2.0 has not. kubectl made them, so they have no label of Steward. */
const OF_KUBECTL = ['ConfigMap/old', 'Deployment/legacy'];

describeOnCluster('a release with objects of nearly every kind', () => {
  test('[OBJ4] [OBJ5] [OBJ6] [OBJ7] is adopted, upgraded twice and rolled back, and the cluster is as each bundle says', async () => {
    const world = await openAdopted();
    const { scenario } = world;
    console.log(JSON.stringify(await world.plan(2), null, 1));
    await world.upgrade(2);
    const ended = await world.steward.untilEnd('success');
    console.log(ended.messages.map((m) => `${m.code} ${m.message}`).join('\n'));
    expect(await world.differences(2, 1, OF_KUBECTL)).toEqual([]);
    await scenario.kubectl('delete', 'deployment/legacy', 'configmap/old');
    await expectRunning(scenario, world.bundleOf(2).images);
    const second = await world.contents();

    await world.importEdition(3);
    console.log(JSON.stringify(await world.plan(3), null, 1));
    await world.upgrade(3);
    const ended3 = await world.steward.untilEnd('success');
    console.log(ended3.messages.map((m) => `${m.code} ${m.message}`).join('\n'));
    expect(await world.differences(3, 2)).toEqual([]);
    await expectRunning(scenario, world.bundleOf(3).images);

    await world.steward.rollback(IDS[3]);
    await world.steward.untilEnd('success');
    expect(await world.differences(2, 3)).toEqual([]);
    expect(await world.contents()).toEqual(second);
    await expectRunning(scenario, world.bundleOf(2).images);
  });
});

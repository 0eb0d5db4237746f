import { expect, test } from 'vitest';
import { describeOnCluster } from '../support/cluster/cluster.ts';
import { everythingShown, formsOf } from '../support/cluster/objects/everythingShown.ts';
import type { ObjectWorld } from '../support/cluster/objects/objectWorld.ts';
import { IDS, KEPT, openAdopted } from '../support/cluster/objects/objectWorld.ts';
import { IS_SOAK } from '../support/run/limits.ts';

/** Returns the jobs. */
async function patchAndRollBack(world: ObjectWorld): Promise<readonly string[]> {
  const { steward } = world;
  await world.importEdition(3);
  const second = await world.contents();
  const patch = await world.upgrade(3);
  await steward.untilEnd('success');
  expect(await world.differences(3, 2)).toEqual([]);
  await world.untilRuns(3);

  const rollback = await steward.rollback(IDS[3]);
  await steward.untilEnd('success');
  expect(await world.contents()).toEqual(second);
  expect(await world.differences(2, 3)).toEqual([]);
  await world.untilRuns(2);
  return [patch, rollback];
}

describeOnCluster('a release with objects of nearly every kind', () => {
  test('[OBJ4] [OBJ5] [OBJ6] [OBJ7] is adopted and upgraded; the cluster is as its bundle says, and no Secret is shown', async () => {
    const world = await openAdopted();
    const { scenario, steward, options } = world;
    const plan = await world.plan(2);
    const jobs = [await world.upgrade(2)];
    await steward.untilEnd('success');
    expect(await world.differences(2, 1, KEPT)).toEqual([]);
    await world.untilRuns(2, ['legacy/app']);
    await scenario.kubectl('delete', ...KEPT.map((one) => one.toLowerCase()));
    // A patch and its rollback as well in `npm run soak -- clusterObjects`.
    if (IS_SOAK) jobs.push(...(await patchAndRollBack(world)));

    const shown = { ...(await everythingShown(world, jobs)), plan: JSON.stringify(plan) };
    expect(Object.entries(shown).filter(([, text]) => text.length === 0)).toEqual([]);
    const leaks = Object.entries(shown).filter(([, text]) =>
      formsOf(options.secret).some((form) => text.includes(form)),
    );
    expect(leaks.map(([source]) => source)).toEqual([]);
  });
});

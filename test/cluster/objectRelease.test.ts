import { expect, test } from 'vitest';
import { describeOnCluster } from '../support/cluster/cluster.ts';
import { everythingShown, formsOf } from '../support/cluster/objects/everythingShown.ts';
import { IDS, KEPT, openAdopted } from '../support/cluster/objects/objectWorld.ts';

describeOnCluster('a release with objects of nearly every kind', () => {
  test('[OBJ4] [OBJ5] [OBJ6] [OBJ7] is adopted, upgraded, patched and rolled back; the cluster is as each bundle says, and no Secret is shown', async () => {
    const world = await openAdopted();
    const { scenario, steward, options } = world;
    const plans = [await world.plan(2)];
    const jobs = [await world.upgrade(2)];
    await steward.untilEnd('success');
    expect(await world.differences(2, 1, KEPT)).toEqual([]);
    await world.untilRuns(2, ['legacy/app']);
    await scenario.kubectl('delete', ...KEPT.map((one) => one.toLowerCase()));
    await world.importEdition(3);
    const second = await world.contents();

    plans.push(await world.plan(3));
    jobs.push(await world.upgrade(3));
    await steward.untilEnd('success');
    expect(await world.differences(3, 2)).toEqual([]);
    await world.untilRuns(3);

    jobs.push(await steward.rollback(IDS[3]));
    await steward.untilEnd('success');
    expect(await world.contents()).toEqual(second);
    expect(await world.differences(2, 3)).toEqual([]);
    await world.untilRuns(2);

    const shown = { ...(await everythingShown(world, jobs)), plans: JSON.stringify(plans) };
    expect(Object.entries(shown).filter(([, text]) => text.length === 0)).toEqual([]);
    const leaks = Object.entries(shown).filter(([, text]) =>
      formsOf(options.secret).some((form) => text.includes(form)),
    );
    expect(leaks.map(([source]) => source)).toEqual([]);
  });
});

import { expect, test } from 'vitest';
import { localActor } from '../../model/actor.ts';
import { silentLog } from '../../foundation/log.ts';
import { manualClock } from '../../../test/support/clock/manualClock.ts';
import { eachStore, placeForEachTest } from '../../../test/support/store/stores.ts';
import { createUpgrades } from '../upgrades.ts';

eachStore((kind) => {
  const at = placeForEachTest(kind);

  test('[DEC39] without a deployment, what needs one says which setting brings one', async () => {
    const { upgrades: store, jobs, uploads } = await at.open();
    const upgrades = createUpgrades({
      store,
      jobs,
      uploads,
      deployment: undefined,
      clock: manualClock(),
      log: silentLog,
      limits: { parallel: 8, deadlineMs: 1000, observeEveryMs: 100 },
      licenceKey: undefined,
    });
    const by = localActor('test');
    const refusal = { code: 'conflict', message: expect.stringContaining('STEWARD_DEPLOYMENT') };
    await expect(upgrades.rollback(by, 'pat_1')).rejects.toMatchObject(refusal);
    await expect(upgrades.adopt(by, 'rel_1', [], { isDryRun: true, force: false })).rejects.toMatchObject(refusal);
    expect(upgrades.jobKinds()).toEqual({});
    expect(await upgrades.available()).toEqual([]);
  });
});

import { expect, test } from 'vitest';
import { manualClock } from '../../test/support/clock/manualClock.ts';
import { eachStore, placeForEachTest } from '../../test/support/store/stores.ts';
import { CHECKS_PASSED, TASK } from '../../test/support/upgrades/sampleJournal.ts';
import { silentLog } from '../foundation/log.ts';
import { createSealer } from '../foundation/sealer.ts';
import type { Job, JournalEntry } from '../jobs/jobStore.ts';
import { newJob } from '../jobs/jobStore.ts';
import { localActor } from '../model/actor.ts';
import type { Store } from '../store/store.ts';
import { createUpgrades } from './upgrades.ts';
import { demoProduct } from '../demo/deployment/demoProduct.ts';
import { refuseOldJournal } from './journal/oldJournal.ts';
import { NO_MANIFEST, unsignedManifest } from './versions/acceptManifest.ts';

const BY = localActor('test');

const [OLD_KEY, NEW_KEY] = [Buffer.alloc(32, 7), Buffer.alloc(32, 8)];

function withoutDeployment({ upgrades: store, jobs, uploads }: Store, keys: readonly Buffer[] = [OLD_KEY]) {
  return createUpgrades({
    store,
    jobs,
    uploads,
    deployment: undefined,
    clock: manualClock(),
    log: silentLog,
    limits: { parallel: 8, deadlineMs: 1000, observeEveryMs: 100 },
    manifestKey: undefined,
    licenceKey: undefined,
    namespace: undefined,
    clusterKinds: new Set(),
    sealer: createSealer(keys),
  });
}

async function addJob({ upgrades }: Store, state: Job['state'], entries: readonly JournalEntry[]): Promise<void> {
  const cursor = { isPastReturn: true };
  const job = newJob({ id: 'old', kind: 'upgrade', task: TASK, cursor, total: 0, startedBy: 'ann', started: 1, state });
  const addJobChange = { job, entries, messages: [], usesUpload: undefined, addUpload: undefined };
  await upgrades.change(BY, () => ({ change: { addJob: addJobChange }, announce: [], audit: [] }));
}

eachStore((kind) => {
  const at = placeForEachTest(kind);

  test('[DEC39] an operation that needs a deployment names the setting that configures one', async () => {
    const upgrades = withoutDeployment(await at.open());
    const refusal = { code: 'conflict', message: expect.stringContaining('STEWARD_DEPLOYMENT') };
    await expect(upgrades.rollback(BY, 'pat_1')).rejects.toMatchObject(refusal);
    await expect(upgrades.adopt(BY, 'rel_1', NO_MANIFEST, { isDryRun: true, force: false })).rejects.toMatchObject(
      refusal,
    );
    expect(upgrades.jobKinds()).toEqual({});
    expect(await upgrades.available()).toEqual([]);
  });

  test('[DEC121] kept objects are sealed again with the first of several master keys', async () => {
    const store = await at.open();
    const sealed = new Map([['digest', createSealer([OLD_KEY]).seal('{"kind":"Secret"}')]]);
    await store.upgrades.keepContents('job', sealed);
    expect(await withoutDeployment(store, [NEW_KEY]).resealAll()).toEqual({ resealed: 0, failed: 1 });
    expect(await withoutDeployment(store, [NEW_KEY, OLD_KEY]).resealAll()).toEqual({ resealed: 1, failed: 0 });
    const kept = (await store.upgrades.contents('job')).get('digest') ?? '';
    expect(createSealer([NEW_KEY]).open(kept)).toBe('{"kind":"Secret"}');
  });

  test('[DEC53] without a deployment the images of a version are listed as the manifest names them', async () => {
    const upgrades = withoutDeployment(await at.open());
    const { versions } = demoProduct(6);
    await upgrades.importManifest(BY, unsignedManifest(versions));
    const found = await upgrades.images('pat_11.0.2187', undefined);
    expect(found.versions.map(({ id }) => id)).toEqual(['pat_11.0.2187']);
    expect(found.images.length).toBeGreaterThan(0);
    for (const { image, reference } of found.images) expect(reference).toBe(image);
  });

  test.each(['running', 'paused', 'undoing', 'failed'] as const)(
    '[DEC50] a %s job without a journal is refused at the start, with the way out',
    async (state) => {
      const store = await at.open();
      await addJob(store, state, []);
      const message = expect.stringMatching(/job old is not finished.*Start the earlier version again/);
      await expect(refuseOldJournal(store.upgrades, store.jobs)).rejects.toMatchObject({ code: 'conflict', message });
    },
  );

  test('[DEC50] a finished job without a journal is accepted at the start', async () => {
    const store = await at.open();
    await addJob(store, 'succeeded', []);
    await expect(refuseOldJournal(store.upgrades, store.jobs)).resolves.toBeUndefined();
  });

  test('[DEC50] an unfinished job with a journal is accepted at the start', async () => {
    const store = await at.open();
    await expect(refuseOldJournal(store.upgrades, store.jobs)).resolves.toBeUndefined();
    await addJob(store, 'running', [CHECKS_PASSED]);
    await expect(refuseOldJournal(store.upgrades, store.jobs)).resolves.toBeUndefined();
  });
});

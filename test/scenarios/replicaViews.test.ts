import type { TestContext } from 'vitest';
import { describe, expect, test } from 'vitest';
import { createClient, inProcessTransport } from '../support/server/client.ts';
import { manualClock } from '../support/clock/manualClock.ts';
import { startInProcess } from '../support/server/inProcessServer.ts';
import { startDatabaseProxy } from '../support/store/databaseProxy.ts';
import { postgresKind } from '../support/store/stores.ts';
import { licensed } from '../support/upgrades/upgradeFields.ts';
import { UPGRADES, startUpgradeServer } from '../support/upgrades/upgradeServer.ts';

const PATCH = 'pat_10.9.1.1842';
const STEP_MS = 100;

describe.skipIf(!postgresKind.isHere)(`two replicas ${postgresKind.title} that are asked in turn`, () => {
  /**
   * The first runs jobs. The second hears no notices, because its proxy refuses to listen, and does not poll unless a test moves
   * the time: it must look when it is asked.
   */
  async function startTwo({ onTestFinished }: TestContext) {
    const { place, remove } = await postgresKind.place();
    onTestFinished(() => remove());
    const clock = manualClock();
    const one = await startUpgradeServer({ shared: { place, clock } });
    onTestFinished(() => one.close());
    const refuseToListen = (sent: Buffer) => (sent.includes('listen steward_revision') ? 'cut' : 'pass');
    const deaf = await startDatabaseProxy(place.at, refuseToListen);
    onTestFinished(() => deaf.close());
    const second = await startInProcess({}, {}, { place: { ...place, at: deaf.url }, clock });
    onTestFinished(() => second.close());
    const two = createClient(inProcessTransport(second.app), one.token);
    return { one, two, clock };
  }

  test('[STO7] right after a start is accepted, the other replica shows the job, its mode and its refusals', async (context) => {
    const { one, two } = await startTwo(context);
    expect((await two.must(UPGRADES)).status.state).toBe('no_upgrade');
    expect((await two.must('/admin/mode')).isReadOnly).toBe(false);
    const id = await one.upgrade(PATCH);
    const shown = await two.must(UPGRADES);
    expect(shown).toMatchObject({ status: { state: 'in_progress' }, job: { id } });
    expect((await two.must(`/admin/system/jobs/${id}`)).messages.length).toBeGreaterThan(0);
    expect((await two.must('/admin/mode')).isReadOnly).toBe(true);
    expect((await two.post(`${UPGRADES}/available`)).status).toBe(409);
    expect((await two.post('/admin/services/createFolder', { folderName: 'F' })).status).toBe(503);
    await one.untilEnd();
  });

  test('[STO7] [UPG11] progress and messages never go back, whichever replica answers', async (context) => {
    const { one, two, clock } = await startTwo(context);
    await one.upgrade('rel_11.0', await licensed(one));
    let [done, messages, answers] = [0, 0, 0];
    for (let state = 'in_progress'; state === 'in_progress'; answers += 1) {
      const { status, job } = await (answers % 2 === 0 ? one : two).must(UPGRADES);
      expect(job.progress.done).toBeGreaterThanOrEqual(done);
      expect(status.messages.length).toBeGreaterThanOrEqual(messages);
      [done, messages, state] = [job.progress.done, status.messages.length, status.state];
      if (answers % 3 === 0) await clock.pass(STEP_MS);
    }
    expect(answers).toBeGreaterThan(10);
    expect((await two.must(UPGRADES)).status.state).toBe('success');
  });

  test('[STO7] [UPG14] when read-only mode is lifted on one replica, the other accepts writes at once', async (context) => {
    const { one, two } = await startTwo(context);
    for (let round = 0; round < 5; round += 1) {
      await one.must('/admin/mode', { isReadOnly: 'true' });
      const folderName = `F${round}`;
      expect((await two.post('/admin/services/createFolder', { folderName })).status).toBe(503);
      await one.must('/admin/mode', { isReadOnly: 'false' });
      expect((await two.post('/admin/services/createFolder', { folderName })).status).toBe(200);
    }
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../support/run/until.ts';
import type { Answer } from '../support/server/client.ts';
import type { StewardProcess } from '../support/server/stewardProcess.ts';
import { startSteward, storeSetting } from '../support/server/stewardProcess.ts';
import { postgresKind, rowsOf } from '../support/store/stores.ts';
import { temporaryFolder } from '../support/run/runFolder.ts';
import { CODE } from '../support/upgrades/codes.ts';

const REPLICAS = 3;
const CALLS = 100;
const PATCH = 'pat_10.9.1.1842';

describe.skipIf(!postgresKind.isHere)(`upgrades on ${REPLICAS} replicas ${postgresKind.title}`, () => {
  const folder = temporaryFolder();
  let made: Awaited<ReturnType<typeof postgresKind.place>>;
  let replicas: readonly StewardProcess[] = [];
  let token = '';

  beforeAll(async () => {
    made = await postgresKind.place();
    const env = { STEWARD_STORE: storeSetting(made.place), STEWARD_DEPLOYMENT: 'simulated' };
    replicas = await Promise.all(
      Array.from({ length: REPLICAS }, (_, n) => startSteward({ data: `${folder.path}/${n}`, env })),
    );
    token = (await replicas[0]?.token()) ?? '';
    await replicas[0]?.post('/admin/demo/deployment/reset', { token });
    await replicas[0]?.post('/admin/demo/settings', { token, rolloutMs: '800' });
  });
  afterAll(async () => {
    await Promise.all(replicas.map((one) => one.end('SIGKILL')));
    await made.remove();
    folder.remove();
  });

  function atOnce(verb: string): Promise<readonly Answer[]> {
    return Promise.all(
      Array.from({ length: CALLS }, async (_, n) => {
        const replica = replicas[n % REPLICAS];
        if (replica === undefined) throw new Error('no replica');
        return replica.post(`/admin/system/upgrades/${verb}`, { token, versionManifest: PATCH });
      }),
    );
  }

  async function ended(): Promise<void> {
    await until('the job ends', async () => (await rowsOf(made.place, 'job')).every(({ ended_at }) => ended_at));
  }

  async function starts(): Promise<readonly unknown[]> {
    const audit = await rowsOf(made.place, 'audit');
    return audit.filter(({ action }) => /^(upgrade|rollback)\.start$/.test(String(action))).map(({ action }) => action);
  }

  test.each([
    ['upgrade', CODE.upgradeStarted, 1],
    ['rollback', CODE.rollbackStarted, 2],
  ])(`[UPG6] exactly one of ${CALLS} simultaneous calls of %s starts a job`, async (verb, code, jobs) => {
    const answers = await atOnce(verb);
    const accepted = answers.filter(({ status }) => status === 200);
    expect(accepted).toHaveLength(1);
    expect(accepted[0]?.body.status.messages.map((one: { code: number }) => one.code)).toEqual([code]);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(CALLS - 1);
    expect(await rowsOf(made.place, 'job')).toHaveLength(jobs);
    expect(await starts()).toHaveLength(jobs);
    await ended();
    const entries = (await rowsOf(made.place, 'job_entry')).filter((one) => Number(one['code']) === code);
    expect(entries).toHaveLength(1);
    expect((await rowsOf(made.place, 'job')).map(({ state }) => state)).toEqual(
      Array.from({ length: jobs }, () => 'succeeded'),
    );
  });
});

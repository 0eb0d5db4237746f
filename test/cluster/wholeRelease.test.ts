import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AppImages } from '../support/cluster/appVersions.ts';
import { release } from '../support/cluster/appVersions.ts';
import type { TestImage } from '../support/cluster/cluster.ts';
import { describeOnCluster, makeImage } from '../support/cluster/cluster.ts';
import { createHolderKiller } from '../support/cluster/deploy/holderKiller.ts';
import type { Installation } from '../support/cluster/deploy/installation.ts';
import { openInstallation } from '../support/cluster/deploy/installation.ts';
import { makePostgresImage } from '../support/cluster/deploy/postgresImage.ts';
import { makeStewardImages } from '../support/cluster/deploy/stewardImage.ts';
import type { UpgradeCalls } from '../support/cluster/upgradeCalls.ts';
import { mustBeOk } from '../support/cluster/upgradeCalls.ts';
import { hookObject, workloadObject } from '../support/cluster/workloadObjects.ts';
import type { PostgresPair } from '../support/database/pair.ts';
import { startPair } from '../support/database/pair.ts';
import type { Relay } from '../support/database/relay.ts';
import { startRelay } from '../support/database/relay.ts';
import { startWriter } from '../support/database/writer.ts';
import { until } from '../support/run/until.ts';
import { CODE } from '../support/upgrades/codes.ts';

const APP = 'whole-release-app';
const WEB = 'Deployment/web/app';
const STEWARD = 'Deployment/steward/steward';

/** The commands to the database at which the holder is killed, each the first time: at least one in each phase. */
const KILLS: ReadonlySet<string> = new Set([
  'before close',
  'after demote',
  'before engine',
  'after engine',
  'after open',
  'before announce',
  'before follow',
]);
/** The messages after which it is killed too: in a hook before the database, among the workloads, and in a hook after them. */
const KILLED_AFTER = ['diagnosticsStarted', 'workloadUpdated', 'loggingStarted'] as const;

const DATABASE_MESSAGES = [
  'databaseUpgradeStarted',
  'primarySetReadOnly',
  'standbyPromoted',
  'engineUpgradeStarted',
  'engineUpgradeFinished',
  'databaseResult',
  'databasePostUpgradeStarted',
  'databasePostUpgradeCompleted',
  'primarySetReadWrite',
  'rolesChanged',
  'standbyAdded',
  'databaseUpgradeCompleted',
] as const;

function imagesOf(web: TestImage, steward: TestImage): AppImages {
  return { [WEB]: web, [STEWARD]: steward };
}

describeOnCluster('a release of everything', () => {
  const killed = new Set<string>();
  let pair: PostgresPair;
  let relay: Relay;
  let installation: Installation;
  let calls: UpgradeCalls;
  let stewardImages: readonly [TestImage, TestImage];
  let killHolder: () => Promise<void>;

  beforeAll(async () => {
    pair = await startPair();
    relay = await startRelay(pair.commandPath, async (verb, when) => {
      const moment = `${when} ${verb}`;
      if (!KILLS.has(moment) || killed.has(moment)) return;
      killed.add(moment);
      await killHolder();
    });
    stewardImages = await makeStewardImages();
    installation = await openInstallation({
      file: 'steward-postgres.yaml',
      image: stewardImages[0].tagged,
      postgresImage: (await makePostgresImage()).tagged,
      env: {
        STEWARD_DATABASE: pair.instances.map(({ name, url }) => `${name}=${url}`).join(','),
        STEWARD_DATABASE_COMMAND: relay.program,
      },
      sharedFolder: relay.folder,
    });
    killHolder = createHolderKiller(installation);
    calls = await installation.signIn();
    const [first, second] = [await makeImage(APP, '1.0'), await makeImage(APP, '2.0')];
    const hook = { name: 'hook', image: first.tagged, command: ['sh', '-c', 'sleep 5; echo done'] };
    await installation.apply(
      workloadObject({ kind: 'Deployment', name: 'web', containers: [{ name: 'app', image: first.tagged }] }),
      hookObject('index-prerequisite', hook),
      hookObject('logging', hook),
    );
    await installation.kubectl('rollout', 'status', 'deployment/web', '--timeout=5m');
    await calls.importManifest([
      release('1.0.100', '', imagesOf(first, stewardImages[0])),
      release('2.0.200', '1.0', imagesOf(second, stewardImages[1])),
    ]);
    mustBeOk(await calls.adopt('rel_1.0.100'));
  });
  afterAll(async () => {
    await installation?.close();
    await relay?.close();
    await pair?.stop();
  });

  test('[UPG11] [DEC55] hooks, the database, the workloads and Steward itself are upgraded in one job, although the holder is killed in each phase', async () => {
    // On a busy machine a server of the database may not answer the check in time.
    await expect.poll(() => calls.failedChecks('rel_2.0.200'), { interval: 300 }).toEqual(['restorePoint']);
    const writer = startWriter(pair);
    await until('the client writes', () => writer.acknowledged.length > 20);
    await calls.upgrade('rel_2.0.200', { withoutRestorePoint: 'true' });
    for (const name of KILLED_AFTER) {
      await calls.untilCode(CODE[name]);
      await killHolder();
    }
    const ended = await calls.untilEnd('success');

    expect([...killed].toSorted()).toEqual([...KILLS].toSorted());
    expect(ended.messages.at(-1)?.code).toBe(CODE.upgradeSucceeded);
    const ofDatabase: ReadonlySet<unknown> = new Set(DATABASE_MESSAGES.map((name) => CODE[name]));
    expect(ended.messages.map(({ code }) => code).filter((code) => ofDatabase.has(code))).toEqual(
      DATABASE_MESSAGES.map((name) => CODE[name]),
    );
    expect(await calls.currentVersion()).toBe('2.0.200');
    await installation.kubectl('rollout', 'status', 'deployment/steward', '--timeout=5m');
    const replicas = await installation.replicas();
    expect(replicas.map(({ checksum }) => checksum)).toEqual(
      Array.from({ length: 3 }, () => stewardImages[1].checksum),
    );

    const written = writer.acknowledged.length;
    await until('the client writes to the new primary', () => writer.acknowledged.length > written);
    const writes = await writer.stop();
    const kept = new Set((await pair.query('b', 'SELECT n::int FROM writes')).map(({ n }) => Number(n)));
    expect(writes.filter(({ n }) => !kept.has(n))).toEqual([]);
    expect(
      writes.filter(({ server }, n) => n > 0 && writes[n - 1]?.server !== server).map(({ server }) => server),
    ).toEqual(['b']);
  });
});

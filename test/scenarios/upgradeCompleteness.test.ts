import { describe, expect, test } from 'vitest';
import { SECOND } from '../../src/foundation/clock.ts';
import { localActor } from '../../src/model/actor.ts';
import { silentDecision } from '../../src/model/decision.ts';
import { readManifest } from '../../src/model/manifest/manifest.ts';
import type { Inventory } from '../../src/model/workload.ts';
import { unsignedManifest } from '../../src/upgrades/versions/acceptManifest.ts';
import { settings } from '../support/upgrades/upgradeFields.ts';
import { serversForTests } from '../support/upgrades/serversForTests.ts';
import type { UpgradeServer } from '../support/upgrades/upgradeServer.ts';

const UPGRADES = '/admin/system/upgrades';
const KEPT_MS = 2 * SECOND;

const servers = serversForTests();

const digestOf = (letter: string): string => `sha256:${letter.repeat(64)}`;
const imageOf = (name: string, letter: string): string => `registry.example/acme/${name}@${digestOf(letter)}`;

const deployed = (name: string, letter = 'a') => ({
  kind: 'Deployment',
  metadata: { name },
  spec: { template: { spec: { containers: [{ name: 'app', image: imageOf(name, letter) }] } } },
});

type Names = readonly (readonly [name: string, letter: string])[];

/** A container is named `workload/container`; its image is that of the workload. */
const containersOf = (names: Names) =>
  names.map(([name, letter]) => ({
    name,
    checksum: digestOf(letter),
    image: imageOf(name.split('/').at(-2) ?? name, letter),
  }));

const release = (version: string, previousVersion: string, names: Names) => ({
  id: `rel_${version}`,
  update: 'release',
  version,
  build: '1',
  previousVersion,
  containers: containersOf(names),
});

const patch = (version: string, build: string, previousBuild: string, names: Names) => ({
  id: `pat_${version}.${build}`,
  update: 'patch',
  version,
  build,
  previousBuild,
  containers: containersOf(names),
});

const FIRST = release('10', '', [
  ['web/app', 'a'],
  ['api/app', 'a'],
]);

async function fill({ postParts }: UpgradeServer, items: readonly object[]): Promise<void> {
  const cluster = { kind: 'List', items };
  const file = { name: 'inventory', content: JSON.stringify(cluster), fileName: 'cluster.json' };
  expect((await postParts('/admin/demo/deployment/fill', [file])).status).toBe(200);
}

function importing({ postParts }: UpgradeServer, text: string) {
  return postParts(`${UPGRADES}/importManifest`, [
    { name: 'versionManifestFile', content: text, fileName: 'manifest.json' },
  ]);
}

/** A server whose deployment has the workloads `web` and `api` and runs version 10. */
async function start(...versions: readonly object[]): Promise<UpgradeServer> {
  const steward = await servers.own({ isAdopted: false });
  await fill(steward, [deployed('web'), deployed('api')]);
  const { body } = await importing(steward, JSON.stringify([FIRST, ...versions]));
  expect(body).toMatchObject({ status: 'success' });
  await steward.must(`${UPGRADES}/adopt`, { versionManifest: 'rel_10' });
  return steward;
}

/** Adds a version as a build before the rules of chains has imported it. */
async function addKnown({ areas, store }: UpgradeServer, version: object): Promise<void> {
  const read = readManifest(JSON.stringify([version]));
  if (read.kind === 'invalid') throw new Error(read.problems.join());
  const addVersions = unsignedManifest(read.manifest.versions);
  await store.upgrades.change(localActor('test'), () =>
    silentDecision({ addVersions }, { action: 'manifest.import', target: 'manifest' }),
  );
  areas.upgrades.invalidate();
}

const fieldsOf = (id: string) => ({
  versionManifest: id,
  upgradeSettings: settings({}),
  withoutRestorePoint: 'true',
});

async function planCheck({ must }: UpgradeServer, id: string, name = 'containers') {
  const { checks, canStart } = await must(`${UPGRADES}/plan`, fieldsOf(id));
  const check = checks.find((one: { readonly name: string }) => one.name === name);
  return { canStart, verdict: check.verdict, text: check.text, todo: check.todo };
}

/** What a job that has succeeded says about itself, and what the pages say afterwards. */
async function shownAfter(steward: UpgradeServer, id: string) {
  const { upgrade, untilEnd, must, pass } = steward;
  const job = await upgrade(id, fieldsOf(id));
  const { state, messages } = await untilEnd();
  await pass(KEPT_MS);
  const { updates } = await must(`${UPGRADES}/history`);
  const { drift } = await must('/admin/system/overview');
  const { incomplete: deployment } = await must('/admin/system/deployment');
  return {
    state,
    last: messages.at(-1)?.message,
    job: (await must(`/admin/system/jobs/${job}`)).incomplete,
    history: updates[0].incomplete,
    drift,
    deployment,
  };
}

const NEXT = 'rel_11';

describe('[UPG19] [U20] a version that is recorded or installed in part', () => {
  test('adopt compares a patch together with its release', async () => {
    const { post, must } = await start(
      release('11', '10', [
        ['web/app', 'b'],
        ['api/app', 'b'],
      ]),
      patch('11', '2', '1', [['web/app', 'a']]),
    );
    const { differences } = await must(`${UPGRADES}/adopt`, { versionManifest: 'pat_11.2', dryRun: 'true' });
    expect(differences).toEqual([expect.objectContaining({ container: 'api/app' })]);
    expect((await post(`${UPGRADES}/adopt`, { versionManifest: 'pat_11.2' })).status).toBe(409);
  });

  test('a container that two entries of a version name is not missing', async () => {
    const steward = await start(
      release('11', '10', [
        ['web/app', 'b'],
        ['Deployment/web/app', 'b'],
        ['api/app', 'a'],
      ]),
    );
    expect(await planCheck(steward, NEXT)).toMatchObject({ verdict: 'pass' });
    expect(await shownAfter(steward, NEXT)).toMatchObject({ state: 'success', job: undefined, drift: [] });
  });

  test('a container that a release leaves out is not called the change of a stranger', async () => {
    const steward = await start(release('11', '10', [['web/app', 'b']]));
    await shownAfter(steward, NEXT);
    const { attention } = await steward.must('/admin/system/overview');
    const causes = attention.map(({ cause }: { readonly cause: string }) => cause).join('\n');
    expect(causes).toContain('Install a version that names the containers that keep their images.');
    expect(causes).not.toContain('Find out who changed them');
  });
});

describe('[U20] [UPG6] [DEC115] a container that the deployment lacks', () => {
  test.each([
    ['web/ap', 'the nearest is web/app'],
    ['Deployment/web/sidecar', 'the nearest is Deployment/web/app'],
    ['wbe/app', 'the nearest is web/app'],
    ['Deploymnt/web/app', 'the nearest is Deployment/web/app'],
    ['Deploymnt/web/ap', 'the nearest is Deployment/web/app'],
  ])('the name %s fails the plan, which names the nearest container', async (name, words) => {
    const steward = await start(
      release('11', '10', [
        [name, 'b'],
        ['api/app', 'b'],
      ]),
    );
    const { canStart, verdict, text } = await planCheck(steward, NEXT);
    expect([canStart, verdict]).toEqual([false, 'fail']);
    expect(text).toContain(`${name} (${words})`);
    const { status, body } = await steward.post(`${UPGRADES}/upgrade`, fieldsOf(NEXT));
    expect([status, body.error.details.join()]).toEqual([409, expect.stringContaining(`${name} (${words})`)]);
  });

  test('a kind in an address fails the plan if the workloads have no kinds, and another kind than that of the workload is left out', async () => {
    const steward = await start(release('11', '10', [['Deploymnt/web/app', 'b']]));
    const { inventory } = steward.simulated;
    const bareNames = async (signal?: AbortSignal): Promise<Inventory> => {
      const found = await inventory(signal);
      const workloads = found.workloads.map((one) => ({ ...one, name: one.name.replace('Deployment/', '') }));
      return { ...found, workloads };
    };
    Object.defineProperty(steward.simulated, 'inventory', { get: () => bareNames });
    const { verdict, text } = await planCheck(steward, NEXT);
    expect([verdict, text]).toEqual(['fail', expect.stringContaining('Deploymnt/web/app (the nearest is web/app)')]);
    const other = await start(release('11', '10', [['StatefulSet/web/app', 'b']]));
    expect(await planCheck(other, NEXT)).toMatchObject({
      verdict: 'warn',
      text: expect.stringContaining('left out: StatefulSet/web/app'),
    });
  });

  test('a version with a workload that is not installed is not complete, until the workload is installed with its image', async () => {
    const steward = await start(
      release('11', '10', [
        ['web/app', 'b'],
        ['api/app', 'b'],
        ['worker/app', 'b'],
      ]),
    );
    expect(await planCheck(steward, NEXT)).toMatchObject({
      canStart: true,
      verdict: 'warn',
      text: expect.stringContaining('left out: worker/app'),
    });
    const left = ['worker/app: no workload has this container'];
    expect(await shownAfter(steward, NEXT)).toEqual({
      state: 'success',
      last: expect.stringContaining(`Not complete: ${left[0]}.`),
      job: left,
      history: left,
      drift: ['worker/app'],
      deployment: left,
    });
    const { must, pass } = steward;
    await fill(steward, [deployed('web', 'b'), deployed('api', 'b'), deployed('worker', 'a')]);
    await pass(KEPT_MS);
    expect((await must('/admin/system/overview')).drift).toEqual(['Deployment/worker']);
    await fill(steward, [deployed('web', 'b'), deployed('api', 'b'), deployed('worker', 'b')]);
    await pass(KEPT_MS);
    expect((await must('/admin/system/overview')).drift).toEqual([]);
    expect(await must('/admin/system/deployment')).not.toHaveProperty('incomplete');
    // The history says what the job has done.
    expect((await must(`${UPGRADES}/history`)).updates[0].incomplete).toEqual(left);
  });

  test('a release that leaves out a container of the installed version is not complete', async () => {
    const steward = await start(release('11', '10', [['web/app', 'b']]), patch('11', '5', '1', [['web/app', 'c']]));
    expect(await planCheck(steward, NEXT)).toMatchObject({
      verdict: 'warn',
      text: expect.stringContaining('keep their images: Deployment/api/app'),
    });
    const left = ['Deployment/api/app: the version does not name it, so it keeps its image'];
    expect(await shownAfter(steward, NEXT)).toEqual({
      state: 'success',
      last: expect.stringMatching(/ from 10\.1 to 11\.5\..* Not complete: Deployment\/api\/app: /),
      job: left,
      history: left,
      drift: ['Deployment/api'],
      deployment: left,
    });
  });

  test('the check of drift says what the installed version lacks', async () => {
    const steward = await start(
      release('11', '10', [
        ['web/app', 'b'],
        ['api/app', 'b'],
        ['worker/app', 'b'],
      ]),
      release('12', '11', [
        ['web/app', 'c'],
        ['api/app', 'c'],
      ]),
    );
    await shownAfter(steward, NEXT);
    expect(await planCheck(steward, 'rel_12', 'drift')).toMatchObject({
      verdict: 'warn',
      text: 'The deployment runs 11.1, but not completely: worker/app: no workload has this container.',
    });
  });

  test('a job that installs every container says nothing about completeness', async () => {
    const steward = await start(
      release('11', '10', [
        ['web/app', 'b'],
        ['api/app', 'b'],
      ]),
    );
    expect(await shownAfter(steward, NEXT)).toEqual({
      state: 'success',
      last: 'Deployment upgraded successfully from 10.1 to 11.1. This deployment is simulated: nothing real is changed.',
      job: undefined,
      history: undefined,
      drift: [],
      deployment: undefined,
    });
  });
});

const rejected = (words: string) => ({ status: 400, body: { error: { details: [expect.stringContaining(words)] } } });

describe('[U22] [UPG3] a patch is cumulative', () => {
  const first = patch('10', '21', '1', [['api/app', 'b']]);
  const lacking = patch('10', '22', '1', [['web/app', 'b']]);

  test('importManifest rejects a patch that lacks a container of an earlier patch that it can skip', async () => {
    const steward = await start();
    expect(await importing(steward, JSON.stringify([first, lacking]))).toMatchObject(
      rejected('pat_10.22 can be installed without pat_10.21 and lacks containers of it: api/app'),
    );
    // The earlier patch may be known already.
    expect(await importing(steward, JSON.stringify([first]))).toMatchObject({ status: 200 });
    expect(await importing(steward, JSON.stringify([lacking]))).toMatchObject(
      rejected('lacks containers of it: api/app'),
    );
    const file = { name: 'versionManifestFile', content: JSON.stringify([lacking]), fileName: 'manifest.json' };
    const fields = Object.entries(fieldsOf('pat_10.22')).map(([name, content]) => ({ name, content }));
    for (const operation of ['plan', 'upgrade', 'adopt'])
      expect(
        await steward.postParts(
          `${UPGRADES}/${operation}`,
          operation === 'adopt' ? [fields[0] ?? file, file] : [...fields, file],
        ),
      ).toMatchObject(rejected('lacks containers of it: api/app'));
  });

  test('a rejected patch names what is probably a typing error, and how to correct one that was imported before', async () => {
    const steward = await start();
    const mistyped = patch('10', '22', '1', [['api/ap', 'c']]);
    const again = (id: string) =>
      `If ${id}, which is imported already, is the wrong one, import it again with the same id`;
    expect(await importing(steward, JSON.stringify([first]))).toMatchObject({ status: 200 });
    expect(await importing(steward, JSON.stringify([mistyped]))).toMatchObject(
      rejected('lacks containers of it: api/app (it has api/ap instead)'),
    );
    const wrong = { ...first, containers: mistyped.containers };
    expect(await importing(steward, JSON.stringify([wrong]))).toMatchObject({ status: 200 });
    const right = patch('10', '22', '1', [['api/app', 'c']]);
    expect(await importing(steward, JSON.stringify([right]))).toMatchObject(rejected(again('pat_10.21')));
    // This is true.
    expect(await importing(steward, JSON.stringify([first]))).toMatchObject({ status: 200 });
    expect(await importing(steward, JSON.stringify([right]))).toMatchObject({ status: 200 });
    const same = { ...right, id: 'pat_same', containers: first.containers };
    expect(await importing(steward, JSON.stringify([same]))).toMatchObject(rejected(again('pat_10.22')));
  });

  test('a patch that cannot skip the earlier one need not contain its containers', async () => {
    const steward = await start();
    const after = patch('10', '22', '21', [['web/app', 'b']]);
    expect(await importing(steward, JSON.stringify([first, after]))).toMatchObject({ status: 200 });
  });

  test('two versions with one number and different images are rejected', async () => {
    const steward = await start();
    const other = { ...patch('10', '21', '1', [['api/app', 'c']]), id: 'pat_other' };
    expect(await importing(steward, JSON.stringify([first, other]))).toMatchObject(
      rejected('pat_10.21 and pat_other are both 10.21 and have different images of api/app'),
    );
  });

  test('the plan of a patch that was imported before the rule fails if it would skip another one', async () => {
    const steward = await start(first);
    await addKnown(steward, lacking);
    const { canStart, text, todo } = await planCheck(steward, 'pat_10.22');
    expect([canStart, text]).toEqual([false, 'pat_10.22 skips pat_10.21 and lacks containers of it: api/app.']);
    expect(todo).toContain('Install pat_10.21 first');
    await steward.upgrade('pat_10.21', fieldsOf('pat_10.21'));
    await steward.untilEnd();
    expect((await planCheck(steward, 'pat_10.22')).canStart).toBe(true);
  });
});

describe('[U21] [UPG3] names within a chain of versions', () => {
  test('importManifest rejects a bare name that the chain shows to be different images', async () => {
    const steward = await start();
    const bare = { ...patch('10', '5', '1', []), containers: [{ ...containersOf([['web', 'b']])[0], name: 'app' }] };
    expect(await importing(steward, JSON.stringify([bare]))).toMatchObject(
      rejected(
        'pat_10.5: the name app (acme/web) is ambiguous, because rel_10 has web/app (acme/web), api/app (acme/api)',
      ),
    );
  });
});

describe('[UPG3] features that a version requires', () => {
  test('a version that requires an unknown feature is rejected by name, and one that requires a known one is accepted', async () => {
    const steward = await start();
    const next = release('11', '10', [['web/app', 'b']]);
    expect(await importing(steward, JSON.stringify([{ ...next, requires: ['teleport'] }]))).toMatchObject(
      rejected('rel_11 requires what this version of Steward does not know: teleport'),
    );
    expect(await importing(steward, JSON.stringify([{ ...next, requires: 'teleport' }]))).toMatchObject(
      rejected('rel_11: requires must be a list of names of features'),
    );
    expect(await importing(steward, JSON.stringify([{ ...next, requires: ['objects'], teleport: [] }]))).toMatchObject({
      status: 200,
      body: { warnings: [expect.stringContaining('`teleport`')] },
    });
  });

  test('a version with an unknown feature that was imported before the rule cannot be installed', async () => {
    const steward = await start();
    await addKnown(steward, { ...release('11', '10', [['web/app', 'b']]), requires: ['teleport'] });
    const { status, body } = await steward.post(`${UPGRADES}/upgrade`, fieldsOf(NEXT));
    expect([status, body.error.message]).toEqual([409, expect.stringMatching(/^rel_11 .* does not know: teleport/)]);
  });
});

describe('[U26] [UPG8] the check of volumesConfig', () => {
  const volumesCheck = async (volumesConfig: object) => {
    const { must } = await servers.shared();
    const fields = { versionManifest: 'pat_10.9.1.1842', upgradeSettings: settings({ volumesConfig }) };
    const { checks, canStart } = await must(`${UPGRADES}/plan`, fields);
    const { verdict, text } = checks.find((one: { readonly name: string }) => one.name === 'volumes');
    return { canStart, verdict, text };
  };

  test('says for each volume that it is created, grows or stays', async () => {
    expect(
      await volumesCheck({
        'log-store': { size: '150Gi' },
        'search-index': { size: '50Gi' },
        fresh: { size: '5Gi', storageClass: 'fast' },
      }),
    ).toEqual({
      canStart: true,
      verdict: 'pass',
      text: 'Volumes: log-store grows from 100Gi to 150Gi; search-index stays at 50Gi; fresh is created with 5Gi and the storage class fast.',
    });
  });

  test('warns of an unknown name that is probably a typing error of an existing volume', async () => {
    expect(await volumesCheck({ 'log-stroe': { size: '150Gi' } })).toEqual({
      canStart: true,
      verdict: 'warn',
      text: 'Volumes: log-stroe does not exist; the nearest existing volume is log-store; log-stroe is created with 150Gi.',
    });
  });
});

describe('[U31] [UPG3] JSON with a key that an object has twice', () => {
  const twice = 'has the key "id" more than once';

  test('is rejected as versionManifest, as upgradeSettings and as a manifest', async () => {
    const steward = await start();
    const { post } = steward;
    const detail = (words: string) => ({ status: 400, body: { error: { details: [words] } } });
    expect(
      await post(`${UPGRADES}/plan`, { versionManifest: '{"id":"rel_10","id":"rel_11"}', upgradeSettings: '{}' }),
    ).toMatchObject(detail(`versionManifest: ${twice}`));
    expect(
      await post(`${UPGRADES}/plan`, {
        versionManifest: 'rel_11',
        upgradeSettings: '{"userInputs":[{"id":"updateToLatestPatch","id":"licenseUpload"}]}',
      }),
    ).toMatchObject(detail(`upgradeSettings: ${twice}`));
    const manifest = JSON.stringify([release('11', '10', [['web/app', 'b']])]);
    expect(await importing(steward, manifest.replace('"id"', '"id":"rel_12","id"'))).toMatchObject(
      detail(`versionManifestFile: ${twice}`),
    );
  });
});

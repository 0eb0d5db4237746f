import { describe, expect, test } from 'vitest';
import { DAY } from '../../src/foundation/clock.ts';
import type { Inventory } from '../../src/model/workload.ts';
import type { UpgradeServer } from '../support/upgrades/upgradeServer.ts';
import type { Part } from '../support/server/client.ts';
import { serversForTests } from '../support/upgrades/serversForTests.ts';
import { everything, licensed, settings } from '../support/upgrades/upgradeFields.ts';
import { CODE } from '../support/upgrades/codes.ts';

const PATCH = 'pat_10.9.1.1842';
const RELEASE = 'rel_11.0';
const UPGRADE = '/admin/system/upgrades/upgrade';

let steward: UpgradeServer;

const servers = serversForTests();

async function start(...options: Parameters<typeof servers.own>): Promise<UpgradeServer> {
  steward = await servers.own(...options);
  return steward;
}

async function startShared(...options: Parameters<typeof servers.shared>): Promise<UpgradeServer> {
  steward = await servers.shared(...options);
  return steward;
}

const refill = (inventory: Inventory): Promise<void> => steward.simulated.fill(inventory);

const field = (name: string, content: string): Part => ({ name, content });
const file = (name: string, content: string): Part => ({ name, content, fileName: 'file.json' });
/** As a browser sends a file field in which no file was chosen. */
const noFile = (name: string): Part => ({ name, content: '', fileName: '' });
const licence = (): string =>
  JSON.stringify({ product: 'Product', version: '11.0', expires: steward.clock.now() + DAY });

async function accepted(...parts: readonly Part[]): Promise<readonly string[]> {
  const { status, body, text } = await steward.postParts(UPGRADE, parts);
  if (status !== 200) throw new Error(text);
  const { state, messages } = await steward.untilEnd();
  expect(state).toBe('success');
  expect(body.status).toMatchObject({ state: 'in_progress', code: 1, messages: [{ code: CODE.upgradeStarted }] });
  expect(body.status.messages).toHaveLength(1);
  return [messages[0]?.message ?? '', messages.at(-1)?.message ?? ''];
}

const current = async (): Promise<string> => (await steward.must('/admin/system/upgrades/currentVersion')).fullVersion;

describe('[UPG8] [IFC25] [IFC26] [IFC39] the operation getUpgradeSettings', () => {
  const entries = (isLicenceNeeded: boolean, isLatestPatch = true) =>
    JSON.stringify({
      userInputs: [
        {
          seqNum: 0,
          name: 'updateToLatestPatch',
          id: 'updateToLatestPatch',
          description: 'Also move the deployment to the latest patch that is known for this version.',
          type: 'Boolean',
          value: isLatestPatch,
          defaultValue: isLatestPatch,
          isManagerInvisibleField: false,
          required: false,
          newfield: '',
        },
        {
          seqNum: 1,
          name: 'licenseUpload',
          id: 'licenseUpload',
          description: 'The id of an uploaded licence file (uploads/upload).',
          type: 'File',
          value: '',
          required: isLicenceNeeded,
          validFileExtensions: ['json'],
          newfield: '',
        },
        {
          seqNum: 2,
          name: 'volumesConfig',
          id: 'volumesConfig',
          description: 'Volumes to create or expand before the upgrade: {"<volume>":{"size","storageClass"}}.',
          type: 'Json',
          value: {},
          required: false,
          newfield: '',
        },
      ],
    });

  test('getUpgradeSettings answers the exact text for a patch and a release, with the id in JSON and bare, with {root} and without', async () => {
    const { post, token } = await startShared();
    for (const upgradeId of [RELEASE, JSON.stringify({ id: RELEASE })])
      expect((await post('/admin/system/upgrades/getUpgradeSettings', { upgradeId })).text).toBe(entries(true));
    for (const upgradeId of [PATCH, `{"id":"${PATCH}"}`])
      expect((await post('/system/upgrades/getUpgradeSettings', { token, upgradeId })).text).toBe(
        entries(false, false),
      );
    expect((await post('/admin/system/upgrades/getUpgradeSettings', { upgradeId: 'rel_99' })).status).toBe(404);
    expect((await post('/admin/system/upgrades/getUpgradeSettings')).body.error.details).toEqual([
      expect.stringContaining('upgradeId: is required'),
    ]);
    const byGet = await steward.app.inject({ url: `/admin/system/upgrades/getUpgradeSettings?token=${token}` });
    expect([byGet.statusCode, byGet.headers['allow']]).toEqual([405, 'POST']);
  });

  test('getUpgradeSettings names its own field if the version is unknown', async () => {
    const { post } = await startShared();
    const { body } = await post('/admin/system/upgrades/getUpgradeSettings', { upgradeId: 'rel_99' });
    expect(body.error.details).toEqual([expect.stringMatching(/^upgradeId: /)]);
  });

  test('getUpgradeSettings asks for a licence from 10.9.1 to 11.0, even if the release does not, and nowhere else', async () => {
    const { versions, postParts, post } = await start();
    const plain = versions.map((one) => ({ ...one, newLicensesRequired: false }));
    await postParts('/admin/system/upgrades/importManifest', [
      file(
        'versionManifestFile',
        JSON.stringify([...plain, { ...plain[2], id: 'rel_10.9.2', version: '10.9.2', build: '1' }]),
      ),
    ]);
    const textOf = async (upgradeId: string) =>
      (await post('/admin/system/upgrades/getUpgradeSettings', { upgradeId })).text;
    expect(await textOf(RELEASE)).toBe(entries(true));
    expect(await textOf('rel_10.9.2')).toBe(entries(false));
    expect(await textOf('rel_11.1')).toBe(entries(false));
  });

  test('[IFC38] the settings that it answers are accepted once they are filled in', async () => {
    const { must, post, upload } = await startShared();
    const answered = await must('/admin/system/upgrades/getUpgradeSettings', { upgradeId: RELEASE });
    const empty = await post(UPGRADE, { versionManifest: RELEASE, upgradeSettings: JSON.stringify(answered) });
    expect(empty.body.error.details).toEqual([expect.stringContaining('licenseUpload: is required')]);
    answered.userInputs[1].value = await upload(licence());
    await accepted(field('versionManifest', RELEASE), field('upgradeSettings', JSON.stringify(answered)));
    const patch = await must('/admin/system/upgrades/getUpgradeSettings', { upgradeId: 'rel_11.1' });
    await accepted(field('versionManifest', 'rel_11.1'), field('upgradeSettings', JSON.stringify(patch)));
    expect(await current()).toBe('11.1.2400');
  });

  test('volumes are created and grown before the first wave, and the plan shows them', async () => {
    const { must, upgrade, untilEnd, simulated } = await startShared();
    const volumesConfig = { 'log-store': { size: '150Gi' }, fresh: { size: '5Gi', storageClass: 'fast' } };
    const fields = { versionManifest: PATCH, upgradeSettings: settings({ volumesConfig }) };
    const plan = await must('/admin/system/upgrades/plan', fields);
    expect(plan.steps[0]).toMatchObject({ step: 'volumes', title: 'Create or expand volumes: log-store, fresh' });
    await upgrade(PATCH, fields);
    const { messages } = await untilEnd();
    const codes = messages.map(({ code }) => code);
    expect(codes.indexOf(CODE.volumesReady)).toBeLessThan(codes.indexOf(CODE.workloadUpdated));
    const { volumes } = await simulated.inventory();
    expect(volumes).toContainEqual({ name: 'log-store', size: '150Gi', storageClass: 'standard' });
    expect(volumes).toContainEqual({ name: 'fresh', size: '5Gi', storageClass: 'fast' });
  });

  test.each([
    [{ 'log-store': { size: '50Gi' } }, 'log-store has 100Gi and cannot be reduced to 50Gi'],
    [
      { 'log-store': { storageClass: 'fast' } },
      'log-store has the storage class standard, which cannot be changed to fast',
    ],
    [{ fresh: { storageClass: 'fast' } }, 'fresh is new and has no size'],
  ])(
    '[UPG6] [UPG10] the volumes %j fail a check of the plan, and an upgrade with them is refused',
    async (config, words) => {
      const { must, post } = await startShared();
      const fields = { versionManifest: PATCH, upgradeSettings: settings({ volumesConfig: config }) };
      const { checks, canStart } = await must('/admin/system/upgrades/plan', fields);
      const check = checks.find(({ name }: { name: string }) => name === 'volumes');
      expect([canStart, check]).toEqual([false, expect.objectContaining({ verdict: 'fail', name: 'volumes' })]);
      expect(check.text).toBe(`volumesConfig cannot be applied: ${words}.`);
      const before = await everything(steward);
      const { status, body } = await post(UPGRADE, fields);
      expect([status, body.error.details]).toEqual([400, [expect.stringContaining(`volumes: ${check.text}`)]]);
      expect(await everything(steward)).toEqual(before);
    },
  );

  test('a volume that cannot be changed any more ends the job, and everything is undone', async () => {
    const { upgrade, untilEnd, images, simulated } = await start();
    const { begin } = simulated;
    const inventory = await simulated.inventory();
    const grown = inventory.volumes.map((one) => (one.name === 'log-store' ? { ...one, size: '200Gi' } : one));
    const refilled = { ...inventory, volumes: grown };
    // Someone expands the volume further between the checks and the step.
    const beginLate: typeof begin = async (act, ...more) => {
      if (act.kind === 'volumes') await refill(refilled);
      return begin(act, ...more);
    };
    Object.assign(simulated, { begin: beginLate });
    const [before, volumes] = [await images(), grown];
    await upgrade(PATCH, { upgradeSettings: settings({ volumesConfig: { 'log-store': { size: '150Gi' } } }) });
    const { state, messages } = await untilEnd();
    expect(state).toBe('rolled_back');
    expect(messages.find(({ code }) => code === CODE.stepFailed)?.message).toContain(
      'log-store has 200Gi and cannot be reduced',
    );
    expect(messages.find(({ code }) => code === CODE.advice)?.message).toContain('Correct volumesConfig');
    expect([await images(), (await simulated.inventory()).volumes]).toEqual([before, volumes]);
  });

  test('a licence is stored with the job and handed to the deployment', async () => {
    const { simulated, must, post, upgrade, untilEnd } = await start();
    const fields = await licensed(steward);
    const id = await upgrade(RELEASE, fields);
    const [{ itemID, usedBy }] = (await must('/admin/uploads')).items;
    expect(usedBy).toBe(id);
    const { messages } = await untilEnd();
    expect(messages.map(({ code }) => code)).toContain(CODE.licenceDelivered);
    expect((await simulated.view()).licence).toMatchObject({ length: expect.any(Number) });
    expect((await post(`/admin/uploads/${itemID}/delete`)).status).toBe(409);
    steward.clock.advance(3 * DAY);
    await steward.areas.uploads.runHousekeeping();
    expect((await must('/admin/uploads')).items).toMatchObject([{ itemID }]);
  });
});

describe('[UPG7] [IFC10] [IFC37] [IFC40] the fields of the operation upgrade', () => {
  test('[UPG15] [ADR3] [IFC34] upgrade works without {root} too, and its answer is the status with 2010 alone', async () => {
    const { post, token, clock, untilEnd } = await startShared();
    const { text, headers } = await post('/system/upgrades/upgrade', { token, versionManifest: PATCH, f: 'pjson' });
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(text).toContain('{\n  "status": {\n    "state": "in_progress",\n    "code": 1,\n    "messages": [');
    const { status } = JSON.parse(text);
    expect(status.messages).toEqual([
      {
        code: CODE.upgradeStarted,
        message: expect.stringContaining('from 10.9.1.1800 to 10.9.1.1842'),
        when: clock.now(),
      },
    ]);
    expect(await untilEnd()).toMatchObject({ state: 'success' });
  });

  test('the settings {} are enough if licenseFile has the licence, which is stored', async () => {
    await start();
    await accepted(
      field('versionManifest', JSON.stringify({ id: RELEASE })),
      file('licenseFile', licence()),
      noFile('versionManifestFile'),
      field('upgradeSettings', '{}'),
    );
    expect(await current()).toBe('11.0.2187');
    expect((await steward.must('/admin/uploads')).items).toMatchObject([
      { description: 'The licenseFile of an upgrade' },
    ]);
    expect((await steward.simulated.view()).licence).toBeDefined();
  });

  test('the settings {} are enough if nothing is required, and a patch needs none', async () => {
    const { upgrade, untilEnd } = await start();
    await upgrade(PATCH);
    expect(await untilEnd()).toMatchObject({ state: 'success' });
    await accepted(field('versionManifest', RELEASE), file('licenseFile', licence()), field('upgradeSettings', '{}'));
    const refused = await steward.post(UPGRADE, { versionManifest: 'rel_11.1' });
    expect(refused.body.error.details).toEqual([expect.stringContaining('upgradeSettings: is required for 11.1.2400')]);
    await accepted(field('versionManifest', 'rel_11.1'), field('upgradeSettings', '{}'));
    expect(await current()).toBe('11.1.2400');
  });

  test('the licence of the settings wins over licenseFile', async () => {
    const { upload } = await start();
    const licenseUpload = await upload(licence());
    await accepted(
      field('versionManifest', RELEASE),
      file('licenseFile', '{"product":"Other"}'),
      field('upgradeSettings', settings({ licenseUpload })),
    );
    expect((await steward.must('/admin/uploads')).items).toHaveLength(1);
  });

  test.each([
    [undefined, undefined, '11.0.2187'],
    [undefined, 'True', '11.0.2187'],
    [undefined, 'False', '11.0.2100'],
    [undefined, 'false', '11.0.2100'],
    [true, 'False', '11.0.2187'],
    [false, 'True', '11.0.2100'],
    [false, undefined, '11.0.2100'],
  ])(
    'updateToLatestPatch %s in the settings and %s beside them leads to %s, which the messages name',
    async (inside, beside, to) => {
      await startShared({ workloads: 3 });
      const more = inside === undefined ? {} : { updateToLatestPatch: inside };
      const { upgradeSettings } = await licensed(steward, more);
      const [first, last] = await accepted(
        field('versionManifest', RELEASE),
        field('upgradeSettings', upgradeSettings),
        ...(beside === undefined ? [] : [field('updateToLatestPatch', beside)]),
      );
      for (const said of [first, last]) expect(said).toContain(`from 10.9.1.1800 to ${to}`);
      expect(await current()).toBe(to);
      const { updates } = await steward.must('/admin/system/upgrades/installed');
      expect(updates).toHaveLength(to === '11.0.2187' ? 3 : 2);
    },
  );

  test('[UPG7] [UPG8] the patch that is named is the one that is installed, and 2010 and 2012 name it', async () => {
    const { versions } = await start();
    const later = { ...versions[1], id: 'pat_later', build: '1850' };
    const parts = [field('versionManifest', PATCH), file('versionManifestFile', JSON.stringify([later]))];
    for (const said of await accepted(...parts)) expect(said).toContain('from 10.9.1.1800 to 10.9.1.1842');
    expect(await current()).toBe('10.9.1.1842');
  });

  test('[DEC42] with updateToLatestPatch a patch leads to the latest patch, and only that one is installed', async () => {
    const { versions } = await start();
    const later = { ...versions[1], id: 'pat_later', build: '1850' };
    const after = { ...versions[1], id: 'pat_after', build: '1900', previousBuild: '1850' };
    const latest = field('upgradeSettings', settings({ updateToLatestPatch: true }));
    const parts = [field('versionManifest', PATCH), file('versionManifestFile', JSON.stringify([later])), latest];
    const [first] = await accepted(...parts);
    expect(first).toContain('to 10.9.1.1850');
    expect(await current()).toBe('10.9.1.1850');
    // The next patch can only be installed over 1850.
    await accepted(field('versionManifest', 'pat_after'), file('versionManifestFile', JSON.stringify([after])));
    expect(await current()).toBe('10.9.1.1900');
  });

  test('versionManifestFile is searched first, and stored only if the job starts', async () => {
    const { versions, postParts, must } = await start();
    const mine = { ...versions[1], releaseNotes: 'https://example.invalid/mine' };
    const parts = [file('versionManifestFile', JSON.stringify([mine, { ...mine, id: 'pat_new', build: '1900' }]))];
    const before = await everything(steward);
    expect((await postParts(UPGRADE, [...parts, field('versionManifest', 'pat_none')])).status).toBe(404);
    expect(
      (await postParts('/admin/system/upgrades/plan', [...parts, field('versionManifest', 'pat_new')])).status,
    ).toBe(200);
    const bad = field('upgradeSettings', '{"x":1}');
    expect((await postParts(UPGRADE, [...parts, field('versionManifest', 'pat_new'), bad])).status).toBe(400);
    expect(await everything(steward)).toEqual(before);
    await accepted(...parts, field('versionManifest', PATCH), field('updateToLatestPatch', 'False'));
    const { updates } = await must('/admin/system/upgrades/installed');
    expect(updates[1].releaseNotes).toBe('https://example.invalid/mine');
    expect((await must('/admin/system/upgrades/available')).map(({ id }: { id: string }) => id)).toEqual([
      'pat_new',
      RELEASE,
    ]);
  });

  test('[REQ1] [REQ3] [REQ5] a text that is sent as a file is accepted, and an empty field is ignored', async () => {
    await start();
    await accepted(
      file('versionManifest', `{"id":"${PATCH}"}`),
      field('upgradeSettings', ''),
      noFile('licenseFile'),
      field('planHash', ''),
    );
    expect(await current()).toBe('10.9.1.1842');
  });

  test('[REQ3] an empty file part that has a file name counts as absent', async () => {
    await start();
    const { status } = await steward.postParts(UPGRADE, [field('versionManifest', PATCH), file('licenseFile', '')]);
    expect(status).toBe(200);
  });
});

import { afterEach, describe, expect, test } from 'vitest';
import { newManifestKeys, signManifest } from '../../src/model/manifest/signature.ts';
import type { UpgradeServer, UpgradeServerOptions } from '../support/upgrades/upgradeServer.ts';
import { UPGRADES, startUpgradeServer } from '../support/upgrades/upgradeServer.ts';
import { licensed } from '../support/upgrades/upgradeFields.ts';
import { CODE } from '../support/upgrades/codes.ts';

const PATCH = 'pat_10.9.1.1842';
const RELEASE = 'rel_11.0';

let steward: UpgradeServer;

async function start(options: UpgradeServerOptions = {}): Promise<UpgradeServer> {
  steward = await startUpgradeServer(options);
  return steward;
}
afterEach(() => steward.close());

const idsOf = (versions: readonly { readonly id: string }[]): readonly string[] => versions.map(({ id }) => id);

describe('the status of an upgrade', () => {
  const NONE = '{"status":{"state":"no_upgrade","code":0,"messages":[]}}';

  test('[UPG1] [ADR3] the status before any job is no_upgrade, by GET and POST, below {root} and without it', async () => {
    const { token, app, post } = await start();
    for (const url of [UPGRADES, '/system/upgrades', '/compat/admin/system/upgrades', `${UPGRADES}/`]) {
      expect((await post(url, { token })).text).toBe(NONE);
      expect((await app.inject({ url: `${url}?token=${token}&f=json` })).body).toBe(NONE);
    }
    expect((await post(UPGRADES, { token, f: 'pjson' })).text).toContain('{\n  "status": {\n    "state": "no_upgrade"');
    const page = await app.inject({ url: `${UPGRADES}?token=${token}`, headers: { accept: 'text/html' } });
    expect(page.headers['content-type']).toContain('text/html');
    expect(page.body).toContain('no_upgrade');
    expect((await post(UPGRADES, { token, f: 'xml' })).status).toBe(400);
  });

  test('[UPG1] [IFC23] [IFC24] the status has the job beside it and is the same in every format', async () => {
    const { post, token, upgrade, untilEnd, clock } = await start();
    const startedAt = clock.now();
    const id = await upgrade(PATCH);
    const running = (await post(UPGRADES, { token })).body;
    expect(Object.keys(running)).toEqual(['status', 'job']);
    expect(Object.keys(running.status)).toEqual(['state', 'code', 'messages']);
    expect(Object.keys(running.status.messages[0])).toEqual(['code', 'message', 'when']);
    expect(running.job).toMatchObject({ id, kind: 'upgrade', from: '10.9.1.1800', to: '10.9.1.1842', startedAt });
    await untilEnd();
    const { text, body } = await post(UPGRADES, { token });
    expect(body.job).toMatchObject({ phase: 'ended', progress: { done: 2, total: 2 }, startedAt });
    expect(body.job.estimatedEnd).toBe(clock.now());
    const indented = await post('/system/upgrades', { token, f: 'pjson' });
    expect(JSON.parse(indented.text)).toEqual(JSON.parse(text));
    expect(indented.text).toBe(`${JSON.stringify(body, undefined, 2)}\n`);
    const page = await post(UPGRADES, { token, f: 'html' });
    expect(page.text).toContain('Deployment upgraded successfully');
  });

  test('[UPG1] the job estimates its end, and its progress never falls', async () => {
    const { upgrade, must, pass, clock, status } = await start({ workloads: 24 });
    await upgrade(PATCH);
    const seen: number[] = [];
    let said = 0;
    while ((await status()).state === 'in_progress') {
      const { job, status: now } = await must('/admin/system/upgrades');
      seen.push(job.progress.done);
      expect(now.messages.length).toBeGreaterThanOrEqual(said);
      said = now.messages.length;
      // The estimate is not known before there is a plan.
      expect(Math.abs((job.estimatedEnd ?? clock.now()) - clock.now())).toBeLessThan(5000);
      await pass(200);
    }
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    expect(new Set(seen).size).toBeGreaterThan(2);
  });

  test('[UPG1] the status answers 304 if it has not changed, and only then', async () => {
    const { app, token, upgrade, untilEnd, untilSaid } = await start();
    const ask = (tag = '', f = 'json') =>
      app.inject({ url: `${UPGRADES}?token=${token}&f=${f}`, headers: { 'if-none-match': tag } });
    await upgrade(PATCH);
    await untilSaid(CODE.planExecuting);
    const first = await ask();
    const tag = String(first.headers['etag']);
    const again = await ask(tag);
    expect([again.statusCode, again.body]).toEqual([304, '']);
    expect((await ask(tag, 'pjson')).statusCode).toBe(200);
    await untilEnd();
    const later = await ask(tag);
    expect(later.statusCode).toBe(200);
    expect(later.headers['etag']).not.toBe(tag);
    expect((await ask(String(later.headers['etag']))).statusCode).toBe(304);
  });

  test('[UPG2] the states have their codes: in_progress 1, paused 4, rolling_back 5, rolled_back 6', async () => {
    const { upgrade, status, must, until, untilEnd } = await start();
    const id = await upgrade(PATCH);
    expect(await status()).toMatchObject({ state: 'in_progress', code: 1 });
    await must(`/admin/system/jobs/${id}/pause`);
    const paused = await until(({ state }) => state === 'paused');
    expect(paused.code).toBe(4);
    expect(paused.messages.at(-1)?.message).toContain('stays in read-only mode');
    expect(await must('/admin/mode')).toMatchObject({ isReadOnly: true });
    await must(`/admin/system/jobs/${id}/resume`);
    await until(({ messages }) => messages.some(({ code }) => code === CODE.workloadUpdated));
    await must(`/admin/system/jobs/${id}/cancel`);
    expect(await until(({ state }) => state === 'rolling_back')).toMatchObject({ code: 5 });
    expect(await untilEnd()).toMatchObject({ state: 'rolled_back', code: 6 });
  });

  test('[UPG2] [IFC35] a job that fails after the point of no return has code 2, and after a retry success with 3', async () => {
    const { upgrade, simulated, untilEnd } = await start();
    const fault = await simulated.addFault({ kind: 'hookFails', hook: 'logging' });
    await upgrade(RELEASE, await licensed(steward));
    expect(await untilEnd()).toMatchObject({ state: 'failed', code: 2 });
    await simulated.removeFaults(fault.id);
    await upgrade(RELEASE);
    expect(await untilEnd()).toMatchObject({ state: 'success', code: 3 });
  });
});

describe('the versions of a deployment', () => {
  test('[UPG3] [IFC22] available answers a bare array of patches, then releases, from old to new, with the fields in their order', async () => {
    const { post, must, upgrade, untilEnd, versions } = await start();
    const { text } = await post('/admin/system/upgrades/available');
    expect(text).toBe(JSON.stringify([versions[1], versions[2]]));
    const found = JSON.parse(text);
    expect(idsOf(found)).toEqual([PATCH, RELEASE]);
    expect(Object.keys(found[0])).toEqual(
      'id,name,description,update,version,build,previousVersion,previousBuild,released,releaseNotes,newLicensesRequired,containers'.split(
        ',',
      ),
    );
    expect(Object.keys(found[0].containers[0])).toEqual(['name', 'checksum', 'image']);
    await upgrade(PATCH);
    await untilEnd();
    expect(idsOf(await must('/admin/system/upgrades/available'))).toEqual([RELEASE]);
  });

  test('[UPG3] patches come first, even if a release is older', async () => {
    const { postParts, must, versions } = await start();
    const [, patch, release] = versions;
    const more = [
      { ...release, id: 'rel_10.9.2', version: '10.9.2', build: '1', containers: patch?.containers },
      { ...patch, id: 'pat_b', build: '9000' },
      { ...patch, id: 'pat_a', build: '1801' },
      { ...patch, id: 'pat_far', build: '9001', previousBuild: '9000' },
    ];
    const { status, text } = await postParts('/admin/system/upgrades/importManifest', [
      { name: 'versionManifestFile', content: JSON.stringify(more), fileName: 'm.json' },
    ]);
    expect([status, text]).toEqual([200, expect.stringContaining('"signed":false')]);
    expect(idsOf(await must('/admin/system/upgrades/available'))).toEqual([
      'pat_a',
      PATCH,
      'pat_b',
      'rel_10.9.2',
      RELEASE,
    ]);
  });

  test('[DEC66] paths answers every later version that can be reached, with the versions that lead there', async () => {
    const { postParts, must, versions } = await start();
    const [, patch, release] = versions;
    const far = { ...patch, id: 'pat_far', build: '9001', previousBuild: '9000' };
    const next = { ...patch, id: 'pat_next', build: '9000' };
    const alone = { ...release, id: 'rel_alone', version: '99.0', previousVersion: '98.0' };
    await postParts('/admin/system/upgrades/importManifest', [
      { name: 'versionManifestFile', content: JSON.stringify([far, next, alone]), fileName: 'm.json' },
    ]);
    const { from, paths } = await must('/admin/system/upgrades/paths');
    expect(from).toBe('10.9.1.1800');
    expect(
      paths.map(({ id, versions: path }: { id: string; versions: { id: string }[] }) => [id, idsOf(path)]),
    ).toEqual([
      [PATCH, [PATCH]],
      ['pat_next', ['pat_next']],
      ['pat_far', ['pat_next', 'pat_far']],
      ['pat_11.0.2187', [RELEASE, 'pat_11.0.2187']],
      [RELEASE, [RELEASE]],
      ['rel_11.1', [RELEASE, 'pat_11.0.2187', 'rel_11.1']],
    ]);
    expect(paths[0].versions).toEqual([{ id: PATCH, fullVersion: '10.9.1.1842', update: 'patch' }]);
  });

  test('[UPG4] [IFC1] installed, currentVersion, history and checkRollback follow each job', async () => {
    const { must, upgrade, untilEnd } = await start();
    const at = (path: string) => must(`/admin/system/upgrades/${path}`);
    expect((await at('installed')).updates).toMatchObject([{ id: 'rel_10.9.1', how: 'adopt', jobId: null }]);
    expect(await at('checkRollback')).toEqual({ updates: [] });
    expect(await at('history')).toEqual({ updates: [] });
    expect(await at('currentVersion')).toMatchObject({ known: true, id: 'rel_10.9.1', fullVersion: '10.9.1.1800' });
    const job = await upgrade(PATCH);
    await untilEnd();
    const { updates } = await at('installed');
    expect(idsOf(updates)).toEqual(['rel_10.9.1', PATCH]);
    expect(updates[1]).toMatchObject({ how: 'upgrade', jobId: job });
    expect(idsOf((await at('checkRollback')).updates)).toEqual([PATCH]);
    expect((await at('history')).updates).toMatchObject([
      { state: 'success', code: 3, id: job, kind: 'upgrade', from: '10.9.1.1800', to: '10.9.1.1842' },
    ]);
    expect(await at('currentVersion')).toMatchObject({ id: PATCH, version: '10.9.1', build: '1842', unfinished: null });
  });

  test('[UPG4] a rollback of a patch is a job that begins with 2072 and 2165 and ends with 2166 and a message of Steward', async () => {
    const { must, post, upgrade, untilEnd, images, token } = await start();
    const before = await images();
    await upgrade(PATCH);
    await untilEnd();
    expect(await images()).not.toEqual(before);
    const { text } = await post(`${UPGRADES}/rollback`, { token, versionManifest: JSON.stringify({ id: PATCH }) });
    const answered = JSON.parse(text);
    expect(answered.status).toMatchObject({
      state: 'in_progress',
      code: 1,
      messages: [{ code: CODE.rollbackStarted }],
    });
    expect(answered.status.messages[0].message).toContain('from 10.9.1.1842 to 10.9.1.1800');
    expect(answered.job).toMatchObject({ kind: 'rollback' });
    const { state, messages } = await untilEnd();
    expect(state).toBe('success');
    expect(messages.map(({ code }) => code)).toEqual([
      CODE.rollbackStarted,
      CODE.readOnlyEntered,
      CODE.upgraderLaunching,
      CODE.diagnosticsStarted,
      CODE.diagnosticsCompleted,
      CODE.planPreparing,
      CODE.planExecuting,
      CODE.modulePatchStarted,
      CODE.workloadUpdated,
      CODE.patchProgress,
      CODE.modulePatchStarted,
      CODE.workloadUpdated,
      CODE.patchProgress,
      CODE.readOnlyLeft,
      CODE.rollbackSucceeded,
    ]);
    expect(await images()).toEqual(before);
    expect(await must('/admin/system/upgrades/currentVersion')).toMatchObject({ fullVersion: '10.9.1.1800' });
    expect(idsOf((await must('/admin/system/upgrades/installed')).updates)).toEqual(['rel_10.9.1']);
    expect((await must('/admin/system/upgrades/history')).updates).toMatchObject([
      { kind: 'rollback' },
      { kind: 'upgrade' },
    ]);
    expect((await post('/admin/system/upgrades/rollback', { versionManifest: PATCH })).status).toBe(409);
  });

  test('[K11] [UPG4] a release without a point of no return can be rolled back', async () => {
    const { must, upgrade, untilEnd, images } = await start({
      inventory: (inventory) => ({ ...inventory, database: undefined, hooks: [] }),
    });
    const before = await images();
    await upgrade(RELEASE, await licensed(steward, { updateToLatestPatch: false }));
    expect(await untilEnd()).toMatchObject({ state: 'success' });
    expect(await images()).not.toEqual(before);
    const { updates } = await must('/admin/system/upgrades/checkRollback');
    expect(updates.map(({ id }: { id: string }) => id)).toEqual([RELEASE]);
    await must('/admin/system/upgrades/rollback', { versionManifest: RELEASE });
    const { state, messages } = await untilEnd();
    expect([state, messages.at(-1)?.code]).toEqual(['success', CODE.rollbackSucceeded]);
    expect(await images()).toEqual(before);
    const texts = messages.map(({ message }) => message).join(' ');
    expect(texts).not.toMatch(/new image|\w\.\.(?:\s|$)|patch/);
  });

  test('[UPG4] a release that has passed its point of no return cannot be rolled back, nor a patch that is not the last', async () => {
    const { post, upgrade, untilEnd, codes } = await start();
    const refusal = async (id: string) => {
      const { status, body } = await post('/admin/system/upgrades/rollback', { versionManifest: id });
      expect(status).toBe(409);
      return body.error.message;
    };
    expect(await refusal('rel_10.9.1')).toContain('It was adopted, so what ran before it is not known.');
    await upgrade(PATCH);
    await untilEnd();
    expect(await refusal('rel_10.9.1')).toContain(`Only ${PATCH} can`);
    await upgrade(RELEASE, await licensed(steward));
    await untilEnd();
    const before = await codes();
    expect(await refusal(PATCH)).toContain('Only pat_11.0.2187 can, the version that was installed last');
    expect(await refusal(RELEASE)).toContain('Only pat_11.0.2187 can');
    expect(await codes()).toEqual(before);
    await post('/admin/system/upgrades/rollback', { versionManifest: 'pat_11.0.2187' });
    expect(await untilEnd()).toMatchObject({ state: 'success' });
    expect(await refusal(RELEASE)).toContain('has passed its point of no return');
    expect((await post('/admin/system/upgrades/checkRollback')).body).toEqual({ updates: [] });
  });
});

describe('[UPG4] [DEC39] the operation importManifest', () => {
  const keys = newManifestKeys();
  const importing = (content: string, name = 'versionManifestFile') =>
    steward.postParts('/admin/system/upgrades/importManifest', [{ name, content, fileName: 'manifest.json' }]);
  const detailsOf = async (content: string): Promise<readonly string[]> => {
    const { status, body } = await importing(content);
    expect(status).toBe(400);
    return body.error.details;
  };

  test('importManifest names all problems of a file and imports nothing of it', async () => {
    const { must, versions, post } = await start();
    const before = await must('/admin/system/upgrades/available');
    const good = { ...versions[1], id: 'pat_good', build: '1850' };
    const details = await detailsOf(JSON.stringify([good, { ...good, update: 'surprise', released: 'now' }, 7]));
    expect(details.join('\n')).toMatch(/^versionManifestFile: version 2 \(pat_good\): /m);
    for (const words of ['update', 'released', 'id is the same as that of version 1', 'version 3'])
      expect(details.join('\n')).toContain(words);
    for (const wrong of ['not json', '[]', '{}', '7', '{"versions":[],"product":1}'])
      expect((await detailsOf(wrong)).length).toBeGreaterThan(0);
    expect(await importing('x', 'other')).toMatchObject({
      status: 400,
      body: { error: { details: [expect.any(String), expect.stringContaining('other: unknown field')] } },
    });
    expect((await post('/admin/system/upgrades/importManifest', { versionManifestFile: '[]' })).status).toBe(400);
    expect(await must('/admin/system/upgrades/available')).toEqual(before);
  });

  test('importManifest takes only signed manifests if a key is configured', async () => {
    const { versions, must } = await start({ areas: { manifestKey: keys.publicKey } });
    const more = versions.map((one) => ({ ...one, releaseNotes: 'https://example.invalid/notes' }));
    expect(await detailsOf(JSON.stringify(more))).toEqual([expect.stringContaining('is not signed; sign it with')]);
    const foreign = signManifest(newManifestKeys().privateKey, more);
    expect(await detailsOf(JSON.stringify(foreign))).toEqual([expect.stringContaining('STEWARD_MANIFEST_KEY')]);
    const signed = signManifest(keys.privateKey, more);
    const [first, ...rest] = more;
    const changed = { ...signed, versions: [{ ...first, build: '1' }, ...rest] };
    expect(await detailsOf(JSON.stringify(changed))).toEqual([expect.stringContaining('STEWARD_MANIFEST_KEY')]);
    expect(await must('/admin/system/upgrades/available')).toEqual([]);
    expect((await importing(JSON.stringify(signed))).body).toMatchObject({ status: 'success', signed: true });
    expect((await must('/admin/system/upgrades/available'))[0].releaseNotes).toContain('notes');
    const file = { name: 'versionManifestFile', content: JSON.stringify(more), fileName: 'm.json' };
    const plan = await steward.postParts('/admin/system/upgrades/plan', [
      { name: 'versionManifest', content: PATCH },
      file,
    ]);
    expect(plan.body.error.details).toEqual([expect.stringContaining('versionManifestFile: is not signed')]);
  });
});

test('[ADR5] [DEC27] /rest/info and /rest/services answer the installed version', async () => {
  const { app, must, upgrade, untilEnd, postParts, versions } = await start({ isAdopted: false });
  const get = async (url: string) => {
    const { body, headers } = await app.inject({ url });
    return { ...JSON.parse(body), tag: headers['etag'] };
  };
  expect(await get('/rest/info')).toMatchObject({ currentVersion: 10, fullVersion: '10.0' });
  const before = await get('/rest/services');
  expect(before.currentVersion).toBe(10);
  const manifest = { name: 'versionManifestFile', content: JSON.stringify(versions), fileName: 'm.json' };
  await postParts('/admin/system/upgrades/adopt', [{ name: 'versionManifest', content: 'rel_10.9.1' }, manifest]);
  expect(await get('/rest/info')).toMatchObject({ currentVersion: 10.91, fullVersion: '10.9.1.1800' });
  const after = await get('/rest/services');
  expect(after.currentVersion).toBe(10.91);
  expect(after.tag).not.toBe(before.tag);
  expect(await get('/rest/services?f=pjson')).toMatchObject({ currentVersion: 10.91 });
  await upgrade(RELEASE, await licensed(steward, { updateToLatestPatch: false }));
  expect(await get('/rest/info')).toMatchObject({ currentVersion: 10.91 });
  await untilEnd();
  expect(await get('/rest/info')).toMatchObject({ currentVersion: 11, fullVersion: '11.0.2100' });
  expect(await get('/rest/services')).toMatchObject({ currentVersion: 11 });
  expect(await must('/admin/system/upgrades/currentVersion')).toMatchObject({ fullVersion: '11.0.2100' });
});

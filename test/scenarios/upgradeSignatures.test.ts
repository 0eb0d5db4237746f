import { describe, expect, test } from 'vitest';
import { DAY } from '../../src/foundation/clock.ts';
import { localActor } from '../../src/model/actor.ts';
import { newManifestKeys, signManifest } from '../../src/model/manifest/signature.ts';
import type { Version } from '../../src/model/version.ts';
import { createVersionTrust } from '../../src/upgrades/versions/trustedVersions.ts';
import { CODE } from '../support/upgrades/codes.ts';
import { serversForTests } from '../support/upgrades/serversForTests.ts';
import type { UpgradeServer } from '../support/upgrades/upgradeServer.ts';
import { everything, settings } from '../support/upgrades/upgradeFields.ts';

const PATCH = 'pat_10.9.1.1842';
const UPGRADES = '/admin/system/upgrades';

const keys = newManifestKeys();
const servers = serversForTests();

let steward: UpgradeServer;

/** The versions of the demo are known without a signature, as if they had been imported before the key was set. */
async function start(): Promise<UpgradeServer> {
  steward = await servers.own({ areas: { manifestKey: keys.publicKey } });
  return steward;
}

async function importFile(manifest: object) {
  return steward.postParts(`${UPGRADES}/importManifest`, [
    { name: 'versionManifestFile', content: JSON.stringify(manifest), fileName: 'm.json' },
  ]);
}

const availableIds = async (): Promise<readonly string[]> =>
  (await steward.must(`${UPGRADES}/available`)).map(({ id }: Version) => id);

describe('[UPG22] versions without a valid signature', () => {
  test('an unsigned version that was imported before the key was set is neither offered nor installed', async () => {
    const { post } = await start();
    expect(await availableIds()).toEqual([]);
    const before = await everything(steward);
    for (const [operation, field] of [
      ['plan', 'versionManifest'],
      ['upgrade', 'versionManifest'],
      ['adopt', 'versionManifest'],
      ['getUpgradeSettings', 'upgradeId'],
    ] as const) {
      const { status, body } = await post(`${UPGRADES}/${operation}`, { [field]: PATCH });
      expect([operation, status, body.error.message]).toEqual([
        operation,
        409,
        expect.stringContaining(`${PATCH} is not signed by the key in STEWARD_MANIFEST_KEY`),
      ]);
    }
    expect(await everything(steward)).toEqual(before);
  });

  test('a signed version is offered and installed, and its signature is stored', async () => {
    const { versions, upgrade, untilEnd } = await start();
    await importFile(signManifest(keys.privateKey, versions.slice(0, 2)));
    expect(await availableIds()).toEqual([PATCH]);
    await upgrade(PATCH);
    expect(await untilEnd()).toMatchObject({ state: 'success' });
  });

  test('a version whose stored document is not the signed one is not offered', async () => {
    const { versions, store, areas } = await start();
    await importFile(signManifest(keys.privateKey, versions));
    expect(await availableIds()).toContain(PATCH);
    const changed = versions.map((one) => (one.id === PATCH ? { ...one, description: 'changed in the store' } : one));
    await store.upgrades.change(localActor('test'), () => ({
      change: { addVersions: { versions: changed, product: 'Product', signed: undefined } },
      announce: [],
      audit: [],
    }));
    areas.upgrades.invalidate();
    expect(await availableIds()).not.toContain(PATCH);
  });

  test('a job verifies the signature again before it changes anything', async () => {
    const { versions, upgrade, untilEnd, store, images } = await start();
    await importFile(signManifest(keys.privateKey, versions));
    const before = await images();
    await upgrade(PATCH);
    Object.assign(store.upgrades, { signedManifests: async () => [] });
    const { state, messages } = await untilEnd();
    expect(state).toBe('rolled_back');
    expect(messages.find(({ code }) => code === CODE.stepFailed)?.message).toContain('is not signed by the key');
    expect(await images()).toEqual(before);
  });

  test('a signature that is stored without a key counts once the key is set', async () => {
    steward = await servers.own();
    const { versions, store } = steward;
    await importFile(signManifest(keys.privateKey, versions));
    const facts = await store.upgrades.facts();
    const trust = createVersionTrust({ store: store.upgrades, manifestKey: keys.publicKey });
    expect((await trust.trusted(facts)).known).toEqual(facts.known);
    const other = createVersionTrust({ store: store.upgrades, manifestKey: newManifestKeys().publicKey });
    expect((await other.trusted(facts)).known).toEqual([]);
  });
});

test('[UPG8] the licence must be for the product that the manifest names', async () => {
  const { versions, postParts, clock } = await start();
  const manifest = signManifest(keys.privateKey, versions, { product: 'Atlas' });
  expect((await importFile(manifest)).body).toMatchObject({ status: 'success', signed: true, warnings: [] });
  const licenceCheck = async (product: string) => {
    const licence = { product, version: '11.0', expires: clock.now() + DAY };
    const { body } = await postParts(`${UPGRADES}/plan`, [
      { name: 'versionManifest', content: 'rel_11.0' },
      { name: 'upgradeSettings', content: settings({}) },
      { name: 'licenseFile', content: JSON.stringify(licence), fileName: 'l.json' },
    ]);
    return body.checks.find(({ name }: { name: string }) => name === 'licence');
  };
  expect(await licenceCheck('Atlas')).toMatchObject({ verdict: 'pass' });
  expect(await licenceCheck('Product')).toMatchObject({
    verdict: 'fail',
    text: 'licenseFile: its field `product` must be "Atlas", not "Product".',
  });
});

test('[UPG8] a licence with a key twice is refused, and the deployment gets exactly the verified content', async () => {
  steward = await servers.own();
  const { upload, post, upgrade, untilEnd, simulated, clock } = steward;
  const twice = await upload('{"seats":9999,"seats":10}');
  const refused = await post(`${UPGRADES}/upgrade`, {
    versionManifest: 'rel_11.0',
    upgradeSettings: settings({ licenseUpload: twice }),
  });
  expect([refused.status, refused.body.error.details]).toEqual([
    400,
    [expect.stringContaining('licenseUpload: has the key "seats" more than once.')],
  ]);
  const content = JSON.stringify({ version: '11.0', expires: clock.now() + DAY, seats: 10 });
  const spaced = await upload(`\ufeff${content.replaceAll(',', ' ,\n')}`);
  const begun: unknown[] = [];
  const { begin } = simulated;
  const noting: typeof begin = (act, ...more) => {
    if (act.kind === 'licence') begun.push(act.content);
    return begin(act, ...more);
  };
  Object.assign(simulated, { begin: noting });
  await upgrade('rel_11.0', { upgradeSettings: settings({ licenseUpload: spaced }) });
  expect(await untilEnd()).toMatchObject({ state: 'success' });
  expect(begun).toEqual([content]);
});

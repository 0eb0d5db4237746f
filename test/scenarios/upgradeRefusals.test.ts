import { generateKeyPairSync, sign } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DAY } from '../../src/foundation/clock.ts';
import { signedPart } from '../../src/model/licence.ts';
import type { UpgradeServer } from '../support/upgrades/upgradeServer.ts';
import type { Part } from '../support/server/client.ts';
import { startUpgradeServer } from '../support/upgrades/upgradeServer.ts';
import { everything, settings } from '../support/upgrades/upgradeFields.ts';

const PATCH = 'pat_10.9.1.1842';
const RELEASE = 'rel_11.0';

let steward: UpgradeServer;

beforeAll(async () => {
  steward = await startUpgradeServer();
});
afterAll(() => steward.close());

interface Refusal {
  readonly status: number;
  readonly error: { readonly code: number; readonly message: string; readonly details: readonly string[] };
}

type Fields = Readonly<Record<string, string>>;

/** Plan and upgrade refuse it alike, and write nothing. */
async function refusal(fields: Fields, files: readonly Part[] = []): Promise<Refusal> {
  const parts = [...Object.entries(fields).map(([name, content]) => ({ name, content })), ...files];
  const before = await everything(steward);
  const refused = await steward.postParts('/admin/system/upgrades/upgrade', parts);
  const planned = await steward.postParts('/admin/system/upgrades/plan', parts);
  expect(await everything(steward)).toEqual(before);
  expect(refused.body).toEqual(planned.body);
  expect(refused.body.status).toBe('error');
  expect(Object.keys(refused.body.error)).toEqual(['code', 'message', 'details']);
  return { status: refused.status, error: refused.body.error };
}

/** The checks that fail in the plan. Upgrade refuses for the same ones, and writes nothing. */
async function failedChecks(fields: Fields, files: readonly Part[] = []): Promise<readonly string[]> {
  const parts = [...Object.entries(fields).map(([name, content]) => ({ name, content })), ...files];
  const before = await everything(steward);
  const refused = await steward.postParts('/admin/system/upgrades/upgrade', parts);
  const planned = await steward.postParts('/admin/system/upgrades/plan', parts);
  expect(await everything(steward)).toEqual(before);
  expect([planned.status, planned.body.canStart]).toEqual([200, false]);
  const checks: readonly { name: string; verdict: string; text: string; todo: string }[] = planned.body.checks;
  const failed = checks
    .filter(({ verdict }) => verdict === 'fail')
    .map(({ name, text, todo }) => `${name}: ${text} ${todo}`);
  expect([refused.status, refused.body.error.details]).toEqual([400, failed]);
  return failed;
}

const licenceFile = (content: string): Part => ({ name: 'licenseFile', content, fileName: 'licence.json' });

describe('[UPG6] a refusal changes nothing', () => {
  test('an unknown id is refused', async () => {
    expect(await refusal({ versionManifest: 'rel_99' })).toEqual({
      status: 404,
      error: {
        code: 404,
        message: 'No version with the id `rel_99`. Import the manifest that contains it.',
        details: [
          'versionManifest: must be the id of a known version, not "rel_99"; available lists what can be installed',
        ],
      },
    });
  });

  test.each(['{}', '{"id":5}', '{"id":""}', '{"id":"a b"}', '[]', '{"id":"rel_11.0"', 'a/b', '"rel_11.0"'])(
    'the invalid id %s is refused',
    async (versionManifest) => {
      const { status, error } = await refusal({ versionManifest });
      expect([status, error.details]).toEqual([
        400,
        [expect.stringMatching(/^versionManifest: must be \{"id": "…"\}/)],
      ]);
    },
  );

  test('a missing id is refused', async () => {
    expect((await refusal({})).error.details).toEqual([expect.stringMatching(/^versionManifest: is required/)]);
  });

  test('a version that cannot be installed over the current one is refused, with the versions to install first', async () => {
    const { status, error } = await refusal({ versionManifest: 'rel_11.1', upgradeSettings: '{}' });
    expect([status, error.message]).toEqual([
      409,
      'rel_11.1 (11.1.2400) cannot be installed over 10.9.1.1800 directly. Install rel_11.0 (11.0.2100), then pat_11.0.2187 (11.0.2187) first.',
    ]);
    expect((await refusal({ versionManifest: 'rel_10.9.1' })).error.message).toContain('is installed already');
  });

  test.each<Fields>([{}, { upgradeSettings: '' }])(
    '[UPG10] missing settings and a missing licence are failed checks among the others from 11.0 on, with the fields %j',
    async (fields) => {
      expect(await failedChecks({ versionManifest: RELEASE, ...fields })).toEqual([
        'settings: upgradeSettings: is required for 11.0.2100. Get the settings with getUpgradeSettings, fill them in and send them. Send {} if no setting is required.',
        'licence: licenseUpload: is required for 11.0.2100. Upload the licence at uploads/upload and send the itemID of the response as licenseUpload.',
      ]);
    },
  );

  test.each(['[]', '7', '"x"', 'null', '{'])(
    'the settings %j, which are not an object, are refused',
    async (upgradeSettings) => {
      const { status, error } = await refusal({ versionManifest: RELEASE, upgradeSettings });
      expect(status).toBe(400);
      expect(error.details[0]).toMatch(/upgradeSettings: must be a JSON object/);
    },
  );

  test('settings with wrong types, names and shapes are refused, all of them named together', async () => {
    const userInputs = [
      { id: 'updateToLatestPatch', value: 'true' },
      { id: 'licenseUpload', value: 7 },
      { id: 'volumesConfig', value: { 'a b': {}, v: { size: '-1', storageClass: 7, more: 1 }, w: {}, x: 'y' } },
      { id: 'surprise', value: 1 },
      { value: 1 },
      { id: 'licenseUpload', value: 'x' },
    ];
    const upgradeSettings = JSON.stringify({ userInputs, other: 1 });
    expect((await refusal({ versionManifest: RELEASE, upgradeSettings })).error.details).toEqual([
      ...[
        'unknown field `other`; the only known field is userInputs',
        'updateToLatestPatch: must be true or false',
        'licenseUpload: must be a string with the id of an upload',
        'volumesConfig: "a b" is not a valid name of a volume',
        'volumesConfig: v.size must be a quantity such as "20Gi"',
        'volumesConfig: v.storageClass must be the name of a storage class',
        'volumesConfig: v has the unknown field `more`; known fields are size and storageClass',
        'volumesConfig: w must have a size or a storageClass',
        'volumesConfig: x must be an object with size and storageClass',
        'unknown setting "surprise"; known settings are updateToLatestPatch, licenseUpload, volumesConfig',
        'unknown setting null; known settings are updateToLatestPatch, licenseUpload, volumesConfig',
        'licenseUpload is given more than once',
      ].map((problem) => `upgradeSettings: ${problem}`),
      'licenseUpload: is required for 11.0.2100.',
    ]);
    const list = await refusal({ versionManifest: RELEASE, upgradeSettings: '{"userInputs":[7]}' });
    expect(list.error.details[0]).toBe('upgradeSettings: userInputs must be an array of objects');
    const many = await refusal({ versionManifest: '{}', upgradeSettings: '[]', updateToLatestPatch: 'yes', f: 'xml' });
    expect(new Set(many.error.details.map((one) => one.split(':')[0]))).toEqual(
      new Set(['f', 'updateToLatestPatch', 'upgradeSettings', 'versionManifest']),
    );
  });

  test('an unknown upload is refused', async () => {
    const upgradeSettings = settings({ licenseUpload: 'a'.repeat(24) });
    expect(await failedChecks({ versionManifest: RELEASE, upgradeSettings })).toEqual([
      expect.stringContaining(
        `licence: licenseUpload: no upload with the id \`${'a'.repeat(24)}\`. Upload the licence at`,
      ),
    ]);
  });

  describe('a licence that cannot be used', () => {
    const future = Date.UTC(2027, 0, 1);
    test.each([
      ['that is no JSON', 'x', ['must be a JSON object']],
      ['that is no object', '[]', ['must be a JSON object']],
      ['of another product', '{"product":"Other"}', ['its field `product` must be "Product", not "Other"']],
      ['of another version', '{"version":"10.9.1"}', ['its field `version` must be "11.0", not "10.9.1"']],
      ['of a version that is none', '{"version":11}', ['its field `version` must be "11.0", not 11']],
      ['that has expired', '{"expires":1000}', ['the licence expired on 1970-01-01T00:00:01.000Z']],
      [
        'that has expired on a date',
        '{"expires":"2025-12-31"}',
        ['the licence expired at the end of 2025-12-31 (UTC)'],
      ],
      [
        'without an end',
        '{"expires":true}',
        ['its field `expires` must be a time in milliseconds or an ISO date such as 2027-12-31'],
      ],
      [
        'that is wrong in everything',
        `{"product":1,"version":"11.1","expires":5,"more":${future}}`,
        [
          'its field `product` must be "Product", not 1',
          'its field `version` must be "11.0", not "11.1"',
          'the licence expired on 1970-01-01T00:00:00.005Z',
        ],
      ],
    ])('%s', async (_title, content, problems) => {
      const licenseUpload = await steward.upload(content);
      const expected = (field: string): readonly string[] => {
        const text = problems.map((one) => `${field}: ${one}.`).join(' ');
        return [`licence: ${text} Send a licence that is valid for this version.`];
      };
      const byUpload = { versionManifest: RELEASE, upgradeSettings: settings({ licenseUpload }) };
      expect(await failedChecks(byUpload)).toEqual(expected('licenseUpload'));
      const byFile = await failedChecks({ versionManifest: RELEASE, upgradeSettings: '{}' }, [licenceFile(content)]);
      expect(byFile).toEqual(expected('licenseFile'));
      await steward.must(`/admin/uploads/${licenseUpload}/delete`);
    });
  });

  test('an invalid manifest is refused', async () => {
    const file = { name: 'versionManifestFile', content: '[{}]', fileName: 'm.json' };
    const { status, error } = await refusal({ versionManifest: PATCH }, [file]);
    expect(status).toBe(400);
    for (const detail of error.details) expect(detail).toMatch(/^versionManifestFile: version 1: /);
  });

  test('a field that is sent twice is refused, and so is text where a file is needed', async () => {
    const twice = await refusal({ versionManifest: PATCH }, [{ name: 'versionManifest', content: RELEASE }]);
    expect(twice.error.details).toEqual([expect.stringContaining('versionManifest: was sent more than once')]);
    const text = await steward.post('/admin/system/upgrades/upgrade', { versionManifest: PATCH, licenseFile: '{}' });
    expect(text.body.error.details).toEqual(['licenseFile: must be sent as a file in a multipart form']);
  });
});

test('[UPG6] [UPG8] if a key is configured, a licence needs its signature', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const other = await startUpgradeServer({
    areas: { licenceKey: publicKey.export({ type: 'spki', format: 'pem' }).toString() },
  });
  try {
    const licence = {
      product: 'Product',
      version: '11.0',
      expires: other.clock.now() + DAY,
      seats: [3, { b: 1, a: 2 }],
    };
    const signature = sign(null, signedPart(licence), privateKey).toString('base64');
    const send = async (one: object) =>
      other.postParts('/admin/system/upgrades/upgrade', [
        { name: 'versionManifest', content: RELEASE },
        { name: 'upgradeSettings', content: '{}' },
        { name: 'licenseFile', content: JSON.stringify(one), fileName: 'l.json' },
      ]);
    for (const wrong of [licence, { ...licence, signature: 'AAAA' }, { ...licence, signature, seats: [4] }])
      expect((await send(wrong)).body.error.details).toEqual([
        expect.stringContaining('licenseFile: the licence is not signed by the key in STEWARD_LICENCE_KEY.'),
      ]);
    // In any order of its fields.
    expect((await send({ signature, ...licence })).status).toBe(200);
    expect(await other.untilEnd()).toMatchObject({ state: 'success' });
  } finally {
    await other.close();
  }
});

test('[UPG6] exactly one of two simultaneous upgrades starts, and the other is refused with the reason', async () => {
  const other = await startUpgradeServer();
  try {
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => other.post('/admin/system/upgrades/upgrade', { versionManifest: PATCH })),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409, 409, 409]);
    expect((await other.must('/admin/system/jobs')).jobs).toHaveLength(1);
    const before = await everything(other);
    const { status, body } = await other.post('/admin/system/upgrades/upgrade', { versionManifest: PATCH });
    expect([status, body.error.message]).toEqual([409, expect.stringContaining('while an upgrade or a rollback runs')]);
    expect(await everything(other)).toEqual(before);
    expect(await other.untilEnd()).toMatchObject({ state: 'success' });
  } finally {
    await other.close();
  }
});

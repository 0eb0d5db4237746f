import { describe, expect, test } from 'vitest';
import { localActor } from '../../src/model/actor.ts';
import { newManifestKeys, signManifest } from '../../src/model/manifest/signature.ts';
import type { Version } from '../../src/model/version.ts';
import { checksumOf } from '../../src/upgrades/objects/checkBundle.ts';
import { unsignedManifest } from '../../src/upgrades/versions/acceptManifest.ts';
import { rowsOf } from '../support/store/stores.ts';
import { serversForTests } from '../support/upgrades/serversForTests.ts';
import { everything } from '../support/upgrades/upgradeFields.ts';
import type { UpgradeServer } from '../support/upgrades/upgradeServer.ts';

const UPGRADES = '/admin/system/upgrades';
const MIB = 1024 * 1024;

const bundleOf = (...names: readonly string[]): Buffer =>
  Buffer.from(
    names
      .map((name) => JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { mode: 'a' } }))
      .map((line) => `${line}\n`)
      .join(''),
  );

const servers = serversForTests();
const [BUNDLE, OTHER] = [bundleOf('one', 'two'), bundleOf('three')];
const CHECKSUM = checksumOf(BUNDLE);

/** A release that no version of the demo leads to, with these objects. */
function release(steward: UpgradeServer, bundle: Buffer, image?: string): Version {
  const objects = { checksum: checksumOf(bundle), ...(image !== undefined && { image }) };
  const [found] = steward.versions.filter(({ update }) => update === 'release').slice(-1);
  if (found === undefined) throw new Error('the demo has no release');
  const id = `rel_20.0.${bundle.length}`;
  return {
    ...found,
    id,
    version: '20.0',
    build: String(bundle.length),
    previousVersion: '10.9.1',
    previousBuild: '',
    objects,
  };
}

function importing(steward: UpgradeServer, manifest: unknown, objects?: Buffer) {
  return steward.postParts(`${UPGRADES}/importManifest`, [
    { name: 'versionManifestFile', content: JSON.stringify(manifest), fileName: 'm.json' },
    ...(objects === undefined ? [] : [{ name: 'objectsFile', content: objects, fileName: 'objects.jsonl' }]),
  ]);
}

const keptChecksums = async ({ place }: UpgradeServer): Promise<readonly string[]> =>
  (await rowsOf(place, 'object_bundle')).map(({ checksum }) => String(checksum)).toSorted();

describe('[OBJ1] [DEC120] importManifest with objectsFile', () => {
  test('the file is kept with the versions, and the audit log names it', async () => {
    const steward = await servers.own();
    const version = release(steward, BUNDLE);
    const { status, body } = await importing(steward, [version], BUNDLE);
    expect([status, body]).toEqual([
      200,
      {
        status: 'success',
        versions: [version.id],
        signed: false,
        objects: { checksum: CHECKSUM, count: 2 },
        warnings: [],
      },
    ]);
    expect(await steward.store.upgrades.bundle(CHECKSUM)).toStrictEqual(BUNDLE);
    const { entries } = await steward.must('/admin/security/audit?limit=1');
    expect(entries[0]).toMatchObject({
      action: 'manifest.import',
      after: { versions: [version.id], objects: { checksum: CHECKSUM, count: 2 } },
    });
    const available: readonly Version[] = await steward.must(`${UPGRADES}/available`);
    expect(available.find(({ id }) => id === version.id)?.objects).toEqual({ checksum: CHECKSUM });
  });

  test('an empty file is refused, and the form of a browser without a file is not', async () => {
    const steward = await servers.own();
    const version = release(steward, BUNDLE);
    expect(await importing(steward, [version], Buffer.alloc(0))).toMatchObject({
      status: 400,
      body: {
        error: { details: [expect.stringMatching(/^objectsFile: is empty; a bundle has one object on each line/)] },
      },
    });
    const { status, body } = await steward.postParts(`${UPGRADES}/importManifest`, [
      { name: 'versionManifestFile', content: JSON.stringify([version]), fileName: 'm.json' },
      { name: 'objectsFile', content: '', fileName: '' },
    ]);
    expect([status, body.objects, body.warnings.length]).toEqual([200, null, 1]);
  });

  test('a version whose file is missing is accepted with a warning, until the file comes', async () => {
    const steward = await servers.own();
    const version = release(steward, BUNDLE);
    const fetched = release(steward, OTHER, `registry.example/objects@sha256:${'a'.repeat(64)}`);
    const warning = `The objects of ${version.id} are not here: before it can be installed, import the manifest again with the file ${CHECKSUM} as objectsFile.`;
    const manifest = [version, fetched];
    expect((await importing(steward, manifest)).body).toMatchObject({ objects: null, warnings: [warning] });
    expect((await importing(steward, manifest, BUNDLE)).body.warnings).toEqual([]);
    expect((await importing(steward, manifest)).body.warnings).toEqual([]);
  });

  test('the file of a version that is known already can come with another manifest', async () => {
    const steward = await servers.own();
    await importing(steward, [release(steward, BUNDLE)]);
    const { body } = await importing(steward, [release(steward, OTHER)], BUNDLE);
    expect(body).toMatchObject({
      objects: { checksum: CHECKSUM },
      warnings: [expect.stringContaining('as objectsFile')],
    });
    expect(await keptChecksums(steward)).toEqual([CHECKSUM]);
  });

  test('a file that no version names is refused, with its checksum and the expected ones', async () => {
    const steward = await servers.own();
    const version = release(steward, BUNDLE);
    const before = await everything(steward);
    expect(await importing(steward, [version], OTHER)).toMatchObject({
      status: 400,
      body: {
        error: {
          details: [
            `objectsFile: has the checksum ${checksumOf(OTHER)}, but the manifest names ${CHECKSUM} (${version.id})`,
          ],
        },
      },
    });
    const { objects: _, ...plain } = version;
    expect((await importing(steward, [plain], OTHER)).body.error.details).toEqual([
      `objectsFile: has the checksum ${checksumOf(OTHER)}, but no version of the manifest has objects`,
    ]);
    expect(await everything(steward)).toEqual(before);
  });

  test('a file with problems is refused by all of them, and nothing is imported', async () => {
    const steward = await servers.own();
    const wrong = Buffer.from('{"kind":\nno json\n');
    const before = await everything(steward);
    const { status, body } = await importing(steward, [release(steward, wrong)], wrong);
    expect([status, body.error.message]).toEqual([400, 'The file with objects is invalid. Nothing was changed.']);
    expect(body.error.details.length).toBeGreaterThan(1);
    for (const detail of body.error.details) expect(detail).toMatch(/^objectsFile: /);
    expect(await everything(steward)).toEqual(before);
  });

  test('[REQ9] a file above 16 MiB is refused', async () => {
    const steward = await servers.own();
    const large = Buffer.alloc(16 * MIB + 1, '\n');
    const { status, body } = await importing(steward, [release(steward, BUNDLE)], large);
    expect([status, body.error.message]).toEqual([413, expect.stringContaining('at most 16 MiB')]);
    expect(await keptChecksums(steward)).toEqual([]);
  });

  test('[UPG22] the file of a manifest that is not signed is not even read', async () => {
    const keys = newManifestKeys();
    const steward = await servers.own({ areas: { manifestKey: keys.publicKey } });
    const wrong = Buffer.from('no json');
    const version = release(steward, wrong);
    expect((await importing(steward, [version], wrong)).body.error.details).toEqual([
      expect.stringContaining('is not signed'),
    ]);
    const signed = signManifest(keys.privateKey, [release(steward, BUNDLE)]);
    expect((await importing(steward, signed, BUNDLE)).body).toMatchObject({
      signed: true,
      objects: { checksum: CHECKSUM },
    });
    const changed = { ...signed, versions: [release(steward, OTHER)] };
    expect((await importing(steward, changed, OTHER)).status).toBe(400);
    expect(await keptChecksums(steward)).toEqual([CHECKSUM]);
  });

  test('two imports at the same time both keep their files', async () => {
    const steward = await servers.own();
    const answers = await Promise.all(
      [BUNDLE, OTHER, BUNDLE].map((bundle) => importing(steward, [release(steward, bundle)], bundle)),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await keptChecksums(steward)).toEqual([CHECKSUM, checksumOf(OTHER)].toSorted());
  });

  test('an import whose transaction fails keeps neither versions nor file', async () => {
    const steward = await servers.own();
    const version = release(steward, BUNDLE);
    const more = (prefix: string) => Array.from({ length: 500 }, (_, n) => ({ ...version, id: `rel_${prefix}${n}` }));
    await steward.areas.upgrades.importManifest(localActor('test'), unsignedManifest(more('a')));
    const { status, body } = await importing(steward, more('b'), BUNDLE);
    expect(body.error.message).toContain('At most 1000 versions are kept');
    expect(status).toBe(409);
    expect(await keptChecksums(steward)).toEqual([]);
  });

  test('[ACC1] only administrators import, and a running upgrade refuses an import', async () => {
    const steward = await servers.own();
    const version = release(steward, BUNDLE);
    for (const role of ['publisher', 'viewer'] as const) {
      const parts = [
        { name: 'token', content: await steward.tokenFor(role) },
        { name: 'versionManifestFile', content: JSON.stringify([version]), fileName: 'm.json' },
        { name: 'objectsFile', content: BUNDLE, fileName: 'o.jsonl' },
      ];
      expect((await steward.anonymous.postParts(`${UPGRADES}/importManifest`, parts)).status).toBe(403);
    }
    await steward.upgrade('pat_10.9.1.1842');
    expect((await importing(steward, [version], BUNDLE)).status).toBe(409);
    expect(await keptChecksums(steward)).toEqual([]);
  });

  test('[UPG14] objects can be imported in the read-only mode of a person, as manifests can', async () => {
    const steward = await servers.own();
    await steward.must('/admin/mode', { isReadOnly: 'true' });
    expect((await importing(steward, [release(steward, BUNDLE)], BUNDLE)).status).toBe(200);
  });
});

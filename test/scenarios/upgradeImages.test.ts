import { describe, expect, test } from 'vitest';
import { pinned, rewritten } from '../../src/drivers/kubernetes/registry/imageReference.ts';
import type { Version } from '../../src/model/version.ts';
import { neededImages } from '../../src/upgrades/versions/imageList.ts';
import { serversForTests } from '../support/upgrades/serversForTests.ts';
import type { UpgradeServer } from '../support/upgrades/upgradeServer.ts';
import { UPGRADES } from '../support/upgrades/upgradeServer.ts';

const servers = serversForTests();

const [RELEASE, LATEST_PATCH, PATCH] = ['rel_11.0', 'pat_11.0.2187', 'pat_10.9.1.1842'];

function containersOf({ versions }: UpgradeServer, id: string): Version['containers'] {
  return versions.find((one) => one.id === id)?.containers ?? [];
}

/** As the answer lists images that are used by one container each. */
function listed(containers: Version['containers']) {
  return containers.map(({ name, image, checksum }) => ({ image, reference: image, checksum, containers: [name] }));
}

describe('[DEC53] the images that an upgrade needs', () => {
  test('a release is listed with its latest patch, because the upgrade would install both', async () => {
    const steward = await servers.shared();
    const answer = await steward.must(`${UPGRADES}/images`, { id: RELEASE });
    expect(answer).toEqual({
      id: RELEASE,
      versions: [RELEASE, LATEST_PATCH],
      images: listed([...containersOf(steward, RELEASE), ...containersOf(steward, LATEST_PATCH)]),
    });
    expect(answer.images.length).toBeGreaterThan(containersOf(steward, RELEASE).length);
  });

  test('updateToLatestPatch=false lists the release alone', async () => {
    const steward = await servers.shared();
    const answer = await steward.must(`${UPGRADES}/images`, { id: RELEASE, updateToLatestPatch: 'false' });
    expect(answer).toMatchObject({ versions: [RELEASE], images: listed(containersOf(steward, RELEASE)) });
  });

  test('a patch is listed alone, and the id may be sent by GET, bare or as JSON', async () => {
    const steward = await servers.shared();
    const expected = { id: PATCH, versions: [PATCH], images: listed(containersOf(steward, PATCH)) };
    for (const id of [PATCH, JSON.stringify({ id: PATCH })]) {
      const query = new URLSearchParams({ id, token: steward.token }).toString();
      expect((await steward.get(`${UPGRADES}/images?${query}`)).body).toEqual(expected);
    }
  });

  test('a patch with updateToLatestPatch lists only the later patch if that is installed directly', async () => {
    const steward = await servers.own();
    const patch = steward.versions.find(({ id }) => id === PATCH);
    const later = { ...patch, id: 'pat_10.9.1.1900', build: '1900' };
    const part = { name: 'versionManifestFile', content: JSON.stringify([later]), fileName: 'm.json' };
    expect((await steward.postParts(`${UPGRADES}/importManifest`, [part])).status).toBe(200);
    const answer = await steward.must(`${UPGRADES}/images`, { id: PATCH, updateToLatestPatch: 'true' });
    expect(answer.versions).toEqual(['pat_10.9.1.1900']);
  });

  test('an unknown id is not found, and a missing one is named', async () => {
    const steward = await servers.shared();
    const unknown = await steward.post(`${UPGRADES}/images`, { id: 'rel_99' });
    expect([unknown.status, unknown.body.error.message]).toEqual([
      404,
      'No version with the id `rel_99`. Import the manifest that contains it.',
    ]);
    const missing = await steward.post(`${UPGRADES}/images`);
    expect([missing.status, missing.body.error.details[0]]).toEqual([400, expect.stringMatching(/^id/)]);
  });

  test('a version that is installed already, or cannot be installed yet, is listed too', async () => {
    const steward = await servers.shared();
    for (const id of ['rel_10.9.1', 'rel_11.1'])
      expect((await steward.must(`${UPGRADES}/images`, { id, updateToLatestPatch: 'false' })).versions).toEqual([id]);
  });
});

describe('[DEC53] the list of images of constructed versions', () => {
  const [A, B] = [`sha256:${'a'.repeat(64)}`, `sha256:${'b'.repeat(64)}`];
  const version = (...containers: Version['containers']): Version => ({
    id: 'rel_1.1',
    name: '',
    description: '',
    update: 'release',
    version: '1',
    build: '1',
    previousVersion: '',
    previousBuild: '',
    released: 0,
    releaseNotes: '',
    newLicensesRequired: false,
    containers,
  });
  const web = { name: 'web', image: 'r.example/web:1', checksum: A };

  test('an image that several containers and versions use is listed once, with all of them', () => {
    const versions = [version(web, { ...web, name: 'job/web' }), version(web, { ...web, checksum: B })];
    expect(neededImages(versions, (image) => image)).toEqual([
      { image: web.image, reference: web.image, checksum: A, containers: ['web', 'job/web'] },
      { image: web.image, reference: web.image, checksum: B, containers: ['web'] },
    ]);
  });

  test('the reference is pinned and in the mirror if the deployment would be configured so', () => {
    const rewrites = [{ from: 'r.example', to: 'mirror.local:5000/copies' }];
    const [only] = neededImages([version(web)], (image, checksum) => pinned(rewritten(image, rewrites), checksum));
    expect(only?.reference).toBe(`mirror.local:5000/copies/web:1@${A}`);
  });
});

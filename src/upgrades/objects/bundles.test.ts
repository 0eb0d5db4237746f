import { describe, expect, test } from 'vitest';
import { DeploymentOutage, DeploymentRefusal } from '../../model/failure.ts';
import { createBundles } from './bundles.ts';
import { checksumOf } from './checkBundle.ts';

const configMap = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { a: 'b' } });
const bundleOf = (name: string): Buffer => Buffer.from(`${JSON.stringify(configMap(name))}\n`);
const [BYTES, OTHER] = [bundleOf('one'), bundleOf('other')];
const CHECKSUM = checksumOf(BYTES);
const IMAGE = `registry.example/shop@sha256:${'a'.repeat(64)}`;
const FOUND = { kind: 'found', objects: [{ name: 'ConfigMap/one', content: configMap('one') }] };

/** Bundles on a store and a registry that count how often they are read. */
function bundles(kept: readonly Buffer[], registry: (() => Promise<Buffer>) | undefined) {
  const store = new Map(kept.map((bytes) => [checksumOf(bytes), bytes]));
  const reads = { store: 0, registry: 0 };
  const { bundleOf: find } = createBundles({
    clusterKinds: new Set(),
    store: {
      async bundle(checksum) {
        reads.store += 1;
        return store.get(checksum);
      },
      async keepBundle(checksum, bytes) {
        store.set(checksum, bytes);
      },
    },
    deployment: registry && {
      async fetchObjects(image) {
        reads.registry += 1;
        expect(image).toBe(IMAGE);
        return registry();
      },
    },
  });
  return { find, store, reads };
}

const version = (image?: string) => ({ id: 'rel_11', objects: { checksum: CHECKSUM, ...(image && { image }) } });

describe('[OBJ1] [DEC121] the bundle of a version', () => {
  test('a version without objects has none', async () => {
    const { find } = bundles([], undefined);
    expect(await find({ id: 'rel_11' })).toEqual({ kind: 'found', objects: [] });
  });

  test('a kept bundle is read and parsed once', async () => {
    const { find, reads } = bundles([BYTES], async () => OTHER);
    expect(await find(version(IMAGE))).toEqual(FOUND);
    expect(await find(version())).toEqual(FOUND);
    expect(reads).toEqual({ store: 1, registry: 0 });
  });

  test('at most two parsed bundles stay in memory', async () => {
    const all = ['one', 'two', 'three'].map(bundleOf);
    const { find, reads } = bundles(all, undefined);
    for (const bytes of [...all, ...all]) await find({ objects: { checksum: checksumOf(bytes) } });
    expect(reads.store).toBe(6);
  });

  test('a bundle that is not kept is fetched from its registry, and kept', async () => {
    const { find, store, reads } = bundles([], async () => BYTES);
    expect(await find(version(IMAGE))).toEqual(FOUND);
    expect(store.get(CHECKSUM)).toBe(BYTES);
    expect(reads.registry).toBe(1);
  });

  test('a bundle that neither store nor registry has is missing, with the way to bring it', async () => {
    expect(await bundles([], async () => BYTES).find(version())).toEqual({
      kind: 'missing',
      reason: `The file with the objects of rel_11 (${CHECKSUM}) was not imported, and the manifest names no registry that has it.`,
      advice: expect.stringContaining('objectsFile'),
      mayPass: false,
    });
    expect(await bundles([], undefined).find(version(IMAGE))).toMatchObject({
      kind: 'missing',
      reason: expect.stringContaining('no deployment is configured'),
    });
  });

  test('[UPG22] a fetched bundle with another checksum is refused by both checksums, and not kept', async () => {
    const { find, store } = bundles([], async () => OTHER);
    expect(await find(version(IMAGE))).toMatchObject({
      kind: 'missing',
      reason: `The file with the objects of rel_11 in ${IMAGE} has the checksum ${checksumOf(OTHER)}, but the manifest names ${CHECKSUM}.`,
      mayPass: false,
    });
    expect(store.size).toBe(0);
  });

  test('[UPG22] a kept bundle that was changed in the store is refused, or fetched again', async () => {
    const { find, store } = bundles([], async () => BYTES);
    store.set(CHECKSUM, OTHER);
    expect(await find(version())).toMatchObject({
      kind: 'missing',
      reason: expect.stringContaining(`in the store has the checksum ${checksumOf(OTHER)}`),
    });
    expect(await find(version(IMAGE))).toEqual(FOUND);
    expect(store.get(CHECKSUM)).toBe(BYTES);
  });

  test('a bundle with problems is missing, with its problems', async () => {
    const wrong = Buffer.from('no json\n');
    const objects = { checksum: checksumOf(wrong) };
    expect(await bundles([wrong], undefined).find({ id: 'rel_11', objects })).toMatchObject({
      kind: 'missing',
      reason: expect.stringContaining('The file with the objects of rel_11 in the store cannot be used: '),
    });
  });

  test('a registry that does not answer may answer later, and one that refuses does not', async () => {
    async function failing(error: Error) {
      const throwing = async (): Promise<Buffer> => {
        throw error;
      };
      return bundles([], throwing).find(version(IMAGE));
    }
    expect(await failing(new Error('connect ECONNREFUSED'))).toMatchObject({
      reason: `The file with the objects of rel_11 could not be fetched from ${IMAGE}: connect ECONNREFUSED.`,
      mayPass: true,
    });
    const remedy = { advice: 'Start the registry.' };
    expect(await failing(new DeploymentOutage('no answer', remedy))).toMatchObject({ ...remedy, mayPass: true });
    const refusal = { reason: 'The registry has no such artifact.', lines: [], advice: 'Push it.' };
    expect(await failing(new DeploymentRefusal(refusal))).toMatchObject({ advice: 'Push it.', mayPass: false });
  });

  test('a fetch that was stopped says so instead of naming a missing bundle', async () => {
    const { find } = bundles([], async () => {
      throw new Error('aborted');
    });
    await expect(find(version(IMAGE), AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped');
  });
});

import { describe, expect, test } from 'vitest';
import { chainProblems } from '../manifest/chainProblems.ts';
import { canonicalManifest, readManifest } from '../manifest/manifest.ts';
import type { Version } from '../version.ts';
import { completeVersion } from './versionSchema.ts';

const DIGEST = `sha256:${'ab'.repeat(32)}`;
const CONTAINERS = [{ name: 'web', checksum: DIGEST, image: 'acme/web:1' }];
const OBJECTS = { checksum: DIGEST, image: `registry.example/acme/objects@${DIGEST}` };
const patch = (build: string, others: object = {}): Version =>
  completeVersion({ id: `pat_1.${build}`, update: 'patch', version: '1', build, containers: CONTAINERS, ...others });

function problemsOf(objects: unknown): readonly string[] {
  const read = readManifest(JSON.stringify([{ ...patch('1'), objects }]));
  return read.kind === 'invalid' ? read.problems : [];
}

describe('[OBJ1] objects of a version', () => {
  test('[DEC123] are written after the containers, where earlier servers sort unknown fields', () => {
    const text = canonicalManifest([patch('1', { requires: ['objects'], inputs: [], objects: OBJECTS })]);
    expect(text).toContain(
      `"containers":${JSON.stringify(CONTAINERS)},"inputs":[],"objects":${JSON.stringify(OBJECTS)},"requires":["objects"]}`,
    );
  });

  test('change nothing in the canonical form of a version without them', () => {
    expect(canonicalManifest([patch('1')])).toMatch(/"containers":\[\{[^}]*\}\]\}\]$/);
    expect('objects' in patch('1')).toBe(false);
  });

  test.each([
    [{}, 'checksum must be sha256: and 64 lower-case hex digits'],
    [7, 'objects must be an object with checksum'],
    [null, 'objects must be an object with checksum'],
    [{ checksum: DIGEST, image: 'acme/objects:1' }, 'image must be pinned, as registry.example/shop@sha256:'],
    [{ checksum: DIGEST, image: 7 }, 'image must be an artifact such as'],
  ])('%j is refused', (objects, problem) => {
    expect(problemsOf(objects)).toEqual([expect.stringContaining(problem)]);
  });

  test('may lack the image, and unknown fields in them are kept with a warning', () => {
    expect(problemsOf({ checksum: DIGEST })).toEqual([]);
    const read = readManifest(JSON.stringify([{ ...patch('1'), objects: { ...OBJECTS, extra: 1 } }]));
    expect(read).toMatchObject({
      manifest: { versions: [{ objects: { ...OBJECTS, extra: 1 } }] },
      warnings: ['Unknown field `extra` in versions[0].objects. It is kept and has no effect.'],
    });
  });

  test('fit the feature that they require', () => {
    expect(chainProblems([patch('1', { objects: OBJECTS, requires: ['objects'] })])).toEqual([]);
  });
});

describe('[OBJ6] [UPG3] a chain with objects', () => {
  test('[DEC123] a patch needs objects if it can skip an earlier one that has them', () => {
    const [first, next] = [patch('1', { objects: OBJECTS }), patch('2')];
    expect(chainProblems([first, next])).toEqual([
      expect.stringMatching(/^pat_1\.2 can be installed without pat_1\.1 and has no objects/),
    ]);
    expect(chainProblems([first, patch('2', { previousBuild: '1' })])).toEqual([]);
    expect(chainProblems([first, patch('2', { objects: { checksum: DIGEST } })])).toEqual([]);
  });

  test('[DEC123] two versions with one number have the same objects', () => {
    const other = { checksum: `sha256:${'cd'.repeat(32)}` };
    const found = chainProblems([patch('1', { objects: OBJECTS }), patch('1', { id: 'pat_again', objects: other })]);
    expect(found).toEqual(['pat_1.1 and pat_again are both 1.1 and have different objects']);
  });
});

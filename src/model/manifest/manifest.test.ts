import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { firstProblems } from '../../foundation/schema/schema.ts';
import type { Manifest } from './manifest.ts';
import { canonicalManifest, manifestText, readManifest, signedText } from './manifest.ts';
import type { Version } from '../version.ts';

const DIGEST = `sha256:${'ab'.repeat(32)}`;
const WEB = { name: 'web', checksum: DIGEST, image: 'registry.example:5000/acme/web:11.0' };
const RELEASE = {
  id: 'rel_11.0.1234',
  update: 'release',
  version: '11.0',
  build: '1234',
  previousVersion: '10.9.1',
  containers: [WEB],
};
const PATCH = { id: 'pat_11.0.1250', update: 'patch', version: '11.0', build: '1250', containers: [WEB] };
const SIGNATURE = `${'A'.repeat(86)}==`;

function problemsOf(document: unknown): readonly string[] {
  const read = readManifest(JSON.stringify(document));
  return read.kind === 'invalid' ? read.problems : [];
}

function valueOf(text: string): Manifest {
  const read = readManifest(text);
  if (read.kind === 'invalid') throw new Error(read.problems.join('; '));
  return read.manifest;
}

describe('[UPG3] a version manifest', () => {
  test('a manifest is the bare array, or an object with versions and a signature', () => {
    expect(valueOf(JSON.stringify([RELEASE])).signature).toBeUndefined();
    expect(valueOf(JSON.stringify({ versions: [RELEASE] })).signature).toBeUndefined();
    expect(valueOf(JSON.stringify({ versions: [RELEASE], signature: SIGNATURE })).signature).toBe(SIGNATURE);
    expect(valueOf(`\ufeff ${JSON.stringify([RELEASE])}\r\n`).versions).toHaveLength(1);
  });

  test('optional fields are filled in, in the order of the schema', () => {
    const [release, patch] = valueOf(JSON.stringify([RELEASE, PATCH])).versions;
    expect(JSON.stringify(release)).toBe(
      `{"id":"rel_11.0.1234","name":"rel_11.0.1234","description":"","update":"release","version":"11.0","build":"1234","previousVersion":"10.9.1","previousBuild":"","released":0,"releaseNotes":"","newLicensesRequired":false,"containers":[{"name":"web","checksum":"${DIGEST}","image":"registry.example:5000/acme/web:11.0"}]}`,
    );
    expect(patch).toMatchObject({ previousVersion: '11.0', previousBuild: '' });
  });

  test('an object whose conversion to a text would throw is a problem like any other', () => {
    const hostile = { toString: null, valueOf: null };
    const fields = ['id', 'update', 'version', 'build', 'previousVersion', 'previousBuild', 'released', 'containers'];
    const accepted = fields.filter((field) => problemsOf([{ ...PATCH, [field]: hostile }]).length === 0);
    expect(accepted).toEqual([]);
  });

  test('white space and the order of keys do not change the canonical form', () => {
    const turned = Object.fromEntries(Object.entries({ ...RELEASE, name: 'Zürich' }).toReversed());
    const canonical = canonicalManifest(valueOf(JSON.stringify([turned], null, 4)).versions);
    expect(canonical).toBe(canonicalManifest(valueOf(JSON.stringify([{ ...RELEASE, name: 'Zürich' }])).versions));
    expect(canonical).toMatch(/^\[\{"id":"rel_11\.0\.1234","name":"Zürich","description":""/);
  });

  test.each([
    ['not JSON', '[', 'must be JSON, nested at most 1000 levels deep'],
    ['a text', '"x"', 'must contain an array of 1 to 500 versions'],
    ['nothing', '[]', 'must contain an array of 1 to 500 versions'],
    ['an object without versions', '{}', 'must contain an array of 1 to 500 versions'],
    [
      'too many',
      JSON.stringify(Array.from({ length: 501 }, () => RELEASE)),
      'must contain an array of 1 to 500 versions',
    ],
  ])('a manifest that is %s is refused', (_what, text, problem) => {
    expect(readManifest(text)).toEqual({ kind: 'invalid', problems: [problem] });
  });

  test('[REQ9] a manifest with too many keys or objects is refused before it is parsed', () => {
    const keys = Object.fromEntries(Array.from({ length: 1001 }, (_, n) => [`k${n}`, 1]));
    expect(problemsOf({ versions: [RELEASE], ...keys })).toEqual(['must have at most 1000 different keys']);
    const many = `{"versions":[${'{},'.repeat(150_000)}`;
    const problem = 'must have at most 150000 objects and lists';
    expect(readManifest(many)).toEqual({ kind: 'invalid', problems: [problem] });
  });

  test('an invalid signature or product is refused', () => {
    for (const signature of [null, '', 'x', 7, `${'A'.repeat(85)}B==`])
      expect(problemsOf({ versions: [RELEASE], signature })).toEqual(['signature must be 64 bytes in base64']);
    expect(problemsOf({ versions: [RELEASE], product: 7 })).toEqual(['product must be a string']);
  });

  test('unknown fields are kept in alphabetical order, and reported as a warning', () => {
    const web = { ...WEB, tag: 'x' };
    const document = { zone: { b: 1, a: 2 }, versions: [{ stage: [1], ...RELEASE, containers: [web] }], 'a\u202eb': 1 };
    const read = readManifest(JSON.stringify(document));
    if (read.kind === 'invalid') throw new Error(read.problems.join());
    expect(read.warnings).toEqual([
      'Unknown field (its name is unprintable). It is kept and has no effect.',
      'Unknown field `zone`. It is kept and has no effect.',
      'Unknown field `stage` in versions[0]. It is kept and has no effect.',
      'Unknown field `tag` in versions[0].containers[0]. It is kept and has no effect.',
    ]);
    const { versions } = read.manifest;
    expect(versions[0]).toMatchObject({ stage: [1], containers: [web] });
    expect(JSON.stringify(versions[0])).toMatch(/"image":"[^"]*","tag":"x"\}\],"stage":\[1\]\}$/);
    expect(signedText(read.manifest)).toMatch(/^\{"versions":\[.*\],"a\u202eb":1,"zone":\{"a":2,"b":1\}\}$/);
    expect(valueOf(manifestText(read.manifest))).toEqual(read.manifest);
  });

  test('an unknown field that is nested too deeply is refused', () => {
    const deep = `${'['.repeat(900)}${']'.repeat(900)}`;
    expect(readManifest(`{"versions":${JSON.stringify([RELEASE])},"deep":${deep}}`)).toEqual({
      kind: 'invalid',
      problems: ['has an unknown field that is nested too deeply'],
    });
  });

  test('the product of a manifest is signed with the versions, and does not change the signed text of one without', () => {
    const plain = valueOf(JSON.stringify([RELEASE]));
    const named = valueOf(JSON.stringify({ product: 'Atlas', versions: [RELEASE] }));
    expect(signedText(plain)).toBe(canonicalManifest(plain.versions));
    expect(signedText(named)).toBe(`{"product":"Atlas","versions":${canonicalManifest(plain.versions)}}`);
    expect(valueOf(manifestText(named))).toEqual(named);
  });
});

describe('[UPG3] problems of a manifest', () => {
  test.each<[object, string]>([
    [{ id: 'x' }, 'id must be rel_ or pat_ and at most 100 letters, digits, "_", "-" or "."'],
    [{ id: 'pat_1' }, 'id of a release must begin with rel_'],
    [{ name: 5 }, 'name must be a string'],
    [{ name: 'a'.repeat(201) }, 'name must have at most 200 characters, not 201'],
    [{ description: 'red \u001b[31m' }, 'description must not contain control characters'],
    [{ releaseNotes: null }, 'releaseNotes must be a string'],
    [{ update: 'minor' }, 'update must be patch or release'],
    [{ version: 11 }, 'version must be numbers separated by dots, such as 11.0'],
    [{ version: '11.00' }, 'version must be numbers separated by dots, such as 11.0'],
    [{ build: 1234 }, 'build must be a string of at most 15 digits, such as "1234"'],
    [
      { previousVersion: undefined },
      'previousVersion must be numbers separated by dots, such as 11.0, or "" for a release that needs no previous one',
    ],
    [{ previousVersion: '11.0.0' }, 'previousVersion must be older than version'],
    [{ previousVersion: '11.10' }, 'previousVersion must be older than version'],
    [{ previousBuild: '1.2' }, 'previousBuild must be a string of at most 15 digits, such as "1234"'],
    [{ previousVersion: '', previousBuild: '1' }, 'previousBuild needs a previousVersion'],
    [{ released: -1 }, 'released must be a time in milliseconds'],
    [{ released: 8.64e15 + 1 }, 'released must be a time in milliseconds'],
    [{ released: '2026-11-04' }, 'released must be a time in milliseconds'],
    [{ newLicensesRequired: 'yes' }, 'newLicensesRequired must be true or false'],
    [{ containers: [] }, 'containers must be an array of 1 to 5000 objects'],
    [{ containers: {} }, 'containers must be an array of 1 to 5000 objects'],
    [{ containers: ['web'] }, 'container 1: must be an object with name, checksum and image'],
    [{ containers: [WEB, { ...WEB, image: 'x' }] }, 'container 2: name is the same as that of container 1'],
    [
      { containers: [{ ...WEB, name: 'Web' }] },
      'container 1: name must be 1 to 63 lower-case letters, digits, "-" or ".", or workload/container, or kind/workload/container',
    ],
    [
      { containers: [{ ...WEB, checksum: 'ab' }] },
      'container 1: checksum must be sha256: and 64 lower-case hex digits',
    ],
    [
      { containers: [{ ...WEB, image: `web@sha256:${'cd'.repeat(32)}` }] },
      'container 1: image has a digest that differs from checksum',
    ],
  ])('a release with %j has one problem, named with its place', (change, problem) => {
    const changed = { ...RELEASE, ...change };
    const place = /^[\w.-]+$/.test(changed.id) ? ` (${changed.id})` : '';
    expect(problemsOf([PATCH, changed])).toEqual([`version 2${place}: ${problem}`]);
  });

  test.each<[object, string]>([
    [{ previousVersion: '10.9' }, 'previousVersion of a patch must be the version of the patch, or be left out'],
    [{ previousBuild: '1250' }, 'previousBuild of a patch must be lower than build'],
    [{ id: 'rel_1' }, 'id of a patch must begin with pat_'],
  ])('a patch with %j has one problem, named with its place', (change, problem) => {
    const changed = { ...PATCH, ...change };
    expect(problemsOf([changed])).toEqual([`version 1 (${changed.id}): ${problem}`]);
  });

  test.each(['', 'Web', 'web:', 'a//b', '/web', 'web:11 0', 'https://x/web', `web@sha256:12`, 'w'.repeat(501)])(
    'the image %j is refused',
    (image) => {
      expect(problemsOf([{ ...RELEASE, containers: [{ ...WEB, image }] }])).toEqual([
        'version 1 (rel_11.0.1234): container 1: image must be an image name such as registry.example/web:11.0',
      ]);
    },
  );

  test('all problems of all versions are named at once', () => {
    expect(problemsOf([{ ...RELEASE, build: '', containers: [{}] }, 7, RELEASE])).toEqual([
      'version 1 (rel_11.0.1234): build must be a string of at most 15 digits, such as "1234"',
      'version 1 (rel_11.0.1234): container 1: name must be 1 to 63 lower-case letters, digits, "-" or ".", or workload/container, or kind/workload/container',
      'version 1 (rel_11.0.1234): container 1: checksum must be sha256: and 64 lower-case hex digits',
      'version 1 (rel_11.0.1234): container 1: image must be an image name such as registry.example/web:11.0',
      'version 2: must be an object',
      'version 3 (rel_11.0.1234): id is the same as that of version 1',
    ]);
  });

  test('a list of problems can be cut after the first twenty', () => {
    const all = problemsOf([{ ...RELEASE, containers: Array.from({ length: 30 }, () => 1) }]);
    expect(firstProblems(all, 20).join('; ')).toMatch(/container 20: [^;]+; and 10 more$/);
  });
});

describe('[UPG3] generated manifests', () => {
  const number = fc.nat(999).map(String);
  const words = fc.string({ unit: 'grapheme', maxLength: 60 });
  const container = fc.record(
    {
      name: fc.stringMatching(/^[a-z\d]{1,20}$/),
      checksum: fc.stringMatching(/^sha256:[\da-f]{64}$/),
      image: fc.stringMatching(/^([a-z]{1,9}\.example(:5000)?\/)?[a-z]{1,9}(-[a-z\d]{1,5})?(:[\w][\w.-]{0,9})?$/),
    },
    { noNullPrototype: true },
  );
  const version: fc.Arbitrary<Version> = fc
    .record({
      name: words,
      description: words,
      isPatch: fc.boolean(),
      major: fc.integer({ min: 1, max: 99 }),
      minor: number,
      build: fc.integer({ min: 1, max: 99_999 }),
      isAnyBuild: fc.boolean(),
      released: fc.nat(2_000_000_000_000),
      releaseNotes: words,
      newLicensesRequired: fc.boolean(),
      containers: fc.uniqueArray(container, { minLength: 1, maxLength: 5, selector: ({ name }) => name }),
    })
    .map(({ isPatch, major, minor, isAnyBuild, build, ...rest }) => ({
      id: `${isPatch ? 'pat' : 'rel'}_${major}.${minor}.${build}`,
      name: rest.name,
      description: rest.description,
      update: isPatch ? ('patch' as const) : ('release' as const),
      version: `${major}.${minor}`,
      build: String(build),
      previousVersion: isPatch ? `${major}.${minor}` : `${major - 1}.${minor}`,
      previousBuild: isAnyBuild ? '' : String(build - 1),
      released: rest.released,
      releaseNotes: rest.releaseNotes,
      newLicensesRequired: rest.newLicensesRequired,
      containers: rest.containers,
    }));
  const versions = fc.uniqueArray(version, { minLength: 1, maxLength: 4, selector: ({ id }) => id });

  test('a written manifest reads back unchanged, signed or not, formatted or canonical', () => {
    fc.assert(
      fc.property(versions, fc.constantFrom(undefined, SIGNATURE), (given, signature) => {
        const manifest = { versions: given, signature };
        expect(valueOf(manifestText(manifest))).toStrictEqual(manifest);
        expect(valueOf(canonicalManifest(given))).toStrictEqual({ versions: given, signature: undefined });
        expect(canonicalManifest(valueOf(manifestText(manifest)).versions)).toBe(canonicalManifest(given));
      }),
    );
  });

  test('a value of any kind in any field is read or named as a problem, and throws nothing', () => {
    const keys = fc.constantFrom(...Object.keys(RELEASE), 'released', 'previousBuild', '__proto__', 'toString');
    fc.assert(
      fc.property(keys, fc.jsonValue(), (key, value) => {
        const read = readManifest(
          JSON.stringify([RELEASE]).replace('{', `{${JSON.stringify(key)}:${JSON.stringify(value)},`),
        );
        expect(read.kind === 'valid' || read.problems.length > 0).toBe(true);
      }),
    );
    fc.assert(fc.property(fc.json(), (text) => void readManifest(text)));
  });
});

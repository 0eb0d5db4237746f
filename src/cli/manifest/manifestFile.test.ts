import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readManifest } from '../../model/manifest/manifest.ts';
import { StewardError } from '../../foundation/errors.ts';
import type { KeyOptions } from './manifestFile.ts';
import { signFile, verifyFile } from './manifestFile.ts';
import { makeKeys } from './keys.ts';
import type { MakeOptions } from './makeVersion.ts';
import { makeVersion } from './makeVersion.ts';

const NOW = Date.UTC(2026, 10, 4);
const WEB = `web registry.example/web:11.0@sha256:${'ab'.repeat(32)}\n`;

let folder: string;
let images: string;
let manifest: string;
let key: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'steward-manifest-'));
  images = join(folder, 'images.txt');
  manifest = join(folder, 'manifest.json');
  key = join(folder, 'release.key');
  writeFileSync(images, WEB);
});
afterEach(() => rmSync(folder, { recursive: true }));

interface Outcome {
  readonly printed: string;
  readonly noted: string;
  readonly error: StewardError | undefined;
}

async function outcome(
  act: (print: (text: string) => void, note: (text: string) => void) => Promise<void>,
): Promise<Outcome> {
  const [printed, noted]: [string[], string[]] = [[], []];
  let error: unknown;
  await act(
    (text) => void printed.push(text),
    (text) => void noted.push(text),
  ).catch((caught: unknown) => (error = caught));
  if (error !== undefined && !(error instanceof StewardError)) throw error;
  return { printed: stripVTControlCharacters(printed.join('')), noted: noted.join(''), error };
}

function keygen(): Promise<Outcome> {
  return outcome((print) => makeKeys(key, print));
}

function make(options: MakeOptions): Promise<Outcome> {
  return outcome((print, note) => makeVersion({ images, ...options }, print, note, { now: NOW }));
}

function release(options: MakeOptions = {}): Promise<Outcome> {
  return make({ update: 'release', version: '11.0', build: '1234', previousVersion: '10.9.1', ...options });
}

function sign(with_ = key): Promise<Outcome> {
  return outcome((print) => signFile(manifest, with_, print));
}

function verify(options: KeyOptions = {}): Promise<Outcome> {
  return outcome((print) => verifyFile(manifest, options, print));
}

function written(): unknown {
  return JSON.parse(readFileSync(manifest, 'utf8'));
}

describe('[UPG4] keygen', () => {
  test('keygen writes both halves, and only the public one is readable by others', async () => {
    const { printed } = await keygen();
    expect(statSync(key).mode & 0o777).toBe(0o600);
    expect(statSync(`${key}.pub`).mode & 0o777).toBe(0o644);
    expect(printed).toContain('STEWARD_MANIFEST_KEY');
    expect(printed).not.toContain(readFileSync(key, 'utf8').split('\n')[1]);
  });

  test('keygen never overwrites a file and never leaves one half alone', async () => {
    writeFileSync(key, 'mine');
    expect((await keygen()).error?.message).toBe(`${key} already exists and was not changed.`);
    expect(readFileSync(key, 'utf8')).toBe('mine');
    rmSync(key);
    writeFileSync(`${key}.pub`, 'mine');
    expect((await keygen()).error?.code).toBe('conflict');
    expect(readdirSync(folder).toSorted()).toEqual(['images.txt', 'release.key.pub']);
  });
});

describe('[UPG3] make', () => {
  test('make prints a manifest with one version', async () => {
    const { printed, noted } = await release({
      name: 'Eleven',
      description: 'What is new',
      released: '2026-10-01T12:00+02:00',
      releaseNotes: 'https://x.example/11',
      newLicensesRequired: true,
      previousBuild: '100',
    });
    expect(noted).toBe('');
    expect(JSON.parse(printed)).toStrictEqual([
      {
        id: 'rel_11.0.1234',
        name: 'Eleven',
        description: 'What is new',
        update: 'release',
        version: '11.0',
        build: '1234',
        previousVersion: '10.9.1',
        previousBuild: '100',
        released: Date.UTC(2026, 9, 1, 10),
        releaseNotes: 'https://x.example/11',
        newLicensesRequired: true,
        containers: [
          {
            name: 'web',
            checksum: `sha256:${'ab'.repeat(32)}`,
            image: `registry.example/web:11.0@sha256:${'ab'.repeat(32)}`,
          },
        ],
      },
    ]);
  });

  test('make derives the id, the time and the previous version of a patch', async () => {
    const { printed } = await make({ update: 'patch', version: '11.0', build: '1250' });
    expect(JSON.parse(printed)).toMatchObject([{ id: 'pat_11.0.1250', previousVersion: '11.0', released: NOW }]);
    const first = await release({ previousVersion: undefined });
    expect(JSON.parse(first.printed)).toMatchObject([{ previousVersion: '' }]);
    expect(first.noted).toContain('has no previous version');
  });

  test.each([
    ['1793750400000', 1_793_750_400_000],
    ['2026-11-04', 1_793_750_400_000],
    ['2026-11-04T01:02:03.5Z', 1_793_754_123_500],
  ])('make accepts --released %s', async (released, time) => {
    expect(JSON.parse((await release({ released })).printed)).toMatchObject([{ released: time }]);
  });

  test.each(['', 'today', '2026-02-31', '2026-11-04T25:00Z', '2026-11-04T01:02', '4 Nov 2026'])(
    'make refuses --released %j',
    async (released) => {
      expect((await release({ released })).error?.details).toEqual([
        '--released must be a date such as 2026-11-04, a time with zone, or milliseconds',
      ]);
    },
  );

  test('[UPG3] make reads all Kubernetes manifests of a folder', async () => {
    const made = join(folder, 'made.json');
    const place = join(folder, 'manifests');
    mkdirSync(join(place, 'more'), { recursive: true });
    const deployment = (name: string, digit: string): string =>
      `apiVersion: apps/v1\nkind: Deployment\nmetadata: { name: ${name} }\nspec:\n  template:\n    spec:\n      containers:\n        - name: app\n          image: r.example/${name}:1@sha256:${digit.repeat(64)}\n`;
    writeFileSync(
      join(place, 'web.yaml'),
      `${deployment('web', 'a')}---\nkind: Service\nmetadata: { name: web }\nspec: {}\n`,
    );
    writeFileSync(join(place, 'more', 'api.yml'), deployment('api', 'b'));
    writeFileSync(join(place, 'notes.txt'), 'not read');
    const { error } = await make({
      update: 'release',
      version: '11.7',
      build: '1',
      previousVersion: '11.0',
      images: place,
      output: made,
    });
    expect(error).toBeUndefined();
    const read = readManifest(readFileSync(made, 'utf8'));
    const version = read.kind === 'valid' ? read.manifest.versions[0] : undefined;
    expect(version?.containers.map(({ name }) => name)).toEqual(['api/app', 'web/app']);
    rmSync(place, { recursive: true });
    mkdirSync(place);
    const empty = await make({
      update: 'release',
      version: '11.8',
      build: '1',
      previousVersion: '11.0',
      images: place,
      output: join(folder, 'none.json'),
    });
    expect(empty.error?.details).toEqual([`${place}: the folder has no file that ends with .yaml, .yml or .json`]);
    rmSync(place, { recursive: true });
  });

  test('make names every problem with its flag or line number', async () => {
    writeFileSync(images, `${WEB}\nweb x:1\n`);
    const { error, printed } = await make({ update: 'minor', version: 'x', id: 'y', previousVersion: 'z' });
    expect(printed).toBe('');
    expect(error?.details).toEqual([
      '--id must be rel_ or pat_ and at most 100 letters, digits, "_", "-" or "."',
      '--update must be patch or release',
      '--version must be numbers separated by dots, such as 11.0',
      '--build must be a string of at most 15 digits, such as "1234"',
      '--previous-version must be numbers separated by dots, such as 11.0, or "" for a release that needs no previous one',
      `${images}: line 3: the image must be pinned, as image@sha256: and 64 hex digits`,
    ]);
    const bare = await outcome((print, note) => makeVersion({ update: 'patch' }, print, note, { now: NOW }));
    expect(bare.error?.details).toContain('--images must name a file or a folder');
  });

  test('make adds a version to a manifest, or replaces the version with the same id', async () => {
    expect((await release({ output: manifest })).printed).toBe(
      `Added rel_11.0.1234 to ${manifest}: release 11.0.1234 over 10.9.1, 1 container.\n`,
    );
    await make({ update: 'patch', version: '11.0', build: '1250', previousBuild: '1234', into: manifest });
    const again = await release({ into: manifest, name: 'Again' });
    expect(again.printed).toContain(`Replaced rel_11.0.1234 in ${manifest}`);
    expect(written()).toMatchObject([{ id: 'rel_11.0.1234', name: 'Again' }, { id: 'pat_11.0.1250' }]);
    expect(readdirSync(folder).toSorted()).toEqual(['images.txt', 'manifest.json']);
  });

  test('make --output writes a new file only and does not change the --into file', async () => {
    await release({ output: manifest });
    const before = readFileSync(manifest, 'utf8');
    expect((await release({ output: manifest })).error?.code).toBe('conflict');
    const other = join(folder, 'other.json');
    await make({ update: 'patch', version: '11.0', build: '1250', into: manifest, output: other });
    expect(readFileSync(manifest, 'utf8')).toBe(before);
    expect(JSON.parse(readFileSync(other, 'utf8'))).toHaveLength(2);
    expect((await release({ into: join(folder, 'none.json') })).error?.code).toBe('notFound');
    expect((await release({ output: join(folder, 'none', 'x.json') })).error?.message).toContain('cannot be written');
  });

  test('make does not write a manifest that cannot be read back', async () => {
    await release({ output: manifest });
    const [one] = written() as readonly object[];
    writeFileSync(manifest, JSON.stringify(Array.from({ length: 500 }, (_, n) => ({ ...one, id: `rel_${n}` }))));
    expect((await release({ into: manifest })).error?.details).toEqual(['must contain an array of 1 to 500 versions']);
    expect(written()).toHaveLength(500);
  });

  test('[UPG4] make drops the signature of the manifest that it changes, and says so', async () => {
    await keygen();
    await release({ output: manifest });
    await sign();
    const { noted } = await make({ update: 'patch', version: '11.0', build: '1250', into: manifest });
    expect(noted).toContain(`${manifest} was signed. The signature is no longer valid and was removed.`);
    expect(written()).toHaveLength(2);
  });
});

describe('[UPG4] sign', () => {
  beforeEach(async () => {
    await keygen();
    await release({ output: manifest });
  });

  test('sign rewrites the file, keeps its mode and links, and leaves no temporary file', async () => {
    const real = join(folder, 'real', 'm.json');
    mkdirSync(join(folder, 'real'));
    writeFileSync(real, readFileSync(manifest));
    chmodSync(real, 0o664);
    rmSync(manifest);
    symlinkSync(real, manifest);
    expect((await sign()).printed).toBe(`Signed ${manifest} with ${key}: 1 version.\n`);
    expect(written()).toMatchObject({ versions: [{ id: 'rel_11.0.1234' }], signature: expect.stringMatching(/==$/) });
    expect(readdirSync(join(folder, 'real'))).toEqual(['m.json']);
    expect(statSync(real).mode & 0o777).toBe(0o664);
  });

  test('sign with another key says that the earlier signature is gone', async () => {
    await sign();
    expect((await sign()).printed).not.toContain('gone');
    await outcome((print) => makeKeys(join(folder, 'other.key'), print));
    expect((await sign(join(folder, 'other.key'))).printed).toContain('It replaces the previous signature.');
  });

  test('sign with a wrong key changes nothing and does not show the key', async () => {
    const before = readFileSync(manifest, 'utf8');
    expect((await sign(`${key}.pub`)).error?.message).toMatch(
      /release\.key\.pub: The key is the public half of a key pair/,
    );
    const secret = 'MC4CAQAwBQYDK2VwBCIEIJ1h';
    writeFileSync(key, `-----BEGIN PRIVATE KEY-----\n${secret}\n-----END PRIVATE KEY-----\n`);
    const { error, printed } = await sign();
    expect(error?.message).toContain('must be the private half of an Ed25519 key');
    expect(JSON.stringify([error?.message, error?.details, String(error?.cause), printed])).not.toContain(secret);
    expect((await sign(join(folder, 'none'))).error?.message).toBe(`The file ${join(folder, 'none')} does not exist.`);
    expect(readFileSync(manifest, 'utf8')).toBe(before);
  });
});

describe('[UPG4] verify', () => {
  beforeEach(async () => {
    await keygen();
    await release({ output: manifest });
    await make({ update: 'patch', version: '11.0', build: '1250', previousBuild: '1234', into: manifest });
  });

  test('verify shows the versions', async () => {
    expect((await verify()).printed).toBe(`${manifest} has 2 versions, from 10.9.1 on:

  id              version     over        containers
  rel_11.0.1234   11.0.1234   10.9.1      1
  pat_11.0.1250   11.0.1250   11.0.1234   1

It is not signed.
`);
  });

  test('verify says whether the signature fits', async () => {
    expect((await verify({ key: `${key}.pub` })).error?.message).toBe(`${manifest} is not signed.`);
    await sign();
    expect((await verify()).printed).toContain('It is signed; the signature was not verified.');
    expect((await verify({ key: `${key}.pub` })).printed).toContain(`✓ The signature matches ${key}.pub.`);
    expect((await verify({ key })).error?.message).toContain('is the private half of a key pair');
    writeFileSync(
      manifest,
      readFileSync(manifest, 'utf8').replace('"newLicensesRequired": false', '"newLicensesRequired": true'),
    );
    const { error, printed } = await verify({ key: `${key}.pub` });
    expect(error?.message).toContain('does not match');
    expect(printed).not.toContain('✓');
  });

  test('verify names each problem of a manifest, and refuses other files', async () => {
    writeFileSync(manifest, JSON.stringify([{}, 5]));
    expect((await verify()).error).toMatchObject({
      message: `${manifest} is not a version manifest.`,
      details: expect.arrayContaining(['version 1: update must be patch or release', 'version 2: must be an object']),
    });
    writeFileSync(manifest, Buffer.from([0x5b, 0xff]));
    expect((await verify()).error?.message).toBe(`${manifest} is not UTF-8.`);
    expect((await outcome((print) => verifyFile(folder, {}, print))).error?.message).toContain('cannot be read');
    expect((await outcome((print) => verifyFile(key, {}, print))).error?.details).toEqual([
      'must be JSON, nested at most 1000 levels deep',
    ]);
  });

  test('[UPG3] verify warns about builds that nothing leads to, and not about a version that a deployment may have', async () => {
    await make({ update: 'patch', version: '11.0', build: '1300', previousBuild: '1299', into: manifest });
    await make({ update: 'release', version: '11.2', build: '7', previousVersion: '11.1', into: manifest });
    await make({ update: 'release', version: '11.3', build: '8', previousVersion: '11.2', into: manifest });
    const { printed, error } = await verify();
    expect(error).toBeUndefined();
    expect(printed.split('\n').filter((line) => line.startsWith('Warning'))).toEqual([
      'Warning: pat_11.0.1300 is over 11.0.1299, and no version in this manifest leads to that build.',
    ]);
    expect(printed).toContain('from 10.9.1 or 11.1 on:');
    await make({ update: 'release', version: '11.1', build: '6', previousVersion: '11.0', into: manifest });
    expect((await verify()).printed.match(/Warning/g)).toHaveLength(1);
  });

  test('[UPG3] verify accepts a first release without a previous version', async () => {
    rmSync(manifest);
    await release({ previousVersion: '', output: manifest });
    expect((await verify()).printed).toMatch(/from 11\.0 on:[\s\S]*11\.0\.1234 {3}– {6}1\n\nIt is not signed/);
  });
});

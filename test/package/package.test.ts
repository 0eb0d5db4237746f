// Makes the npm package and installs it in an empty folder, as a user does. Needs npm and its package registry.
import { mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PackedPackage } from '../support/package/packedPackage.ts';
import { install, lockedRuntimePackages, machineOf, npm, pack } from '../support/package/packedPackage.ts';
import { PROJECT } from '../support/run/project.ts';
import { runCommand, temporaryFolder } from '../support/run/runFolder.ts';
import { startSteward } from '../support/server/stewardProcess.ts';
import { VERSION } from '../../src/service/version.ts';

/** Everything that the package contains, and nothing else; each pattern has at least one file. */
const FILES = [
  /^package\.json$/,
  /^(README|CHANGELOG|SECURITY)\.md$/,
  /^LICENSE$/,
  /^THIRD_PARTY_NOTICES$/,
  /^sbom\.cdx\.json$/,
  /^dist\/[\w-]+\.js$/,
  /^dist\/console\/index\.html$/,
  /^dist\/console\/assets\/[\w-]+\.(js|css|svg)$/,
  /^docs\/\w+\.md$/,
  /^docs\/picture\.svg$/,
  /^docs\/images\/\w+\.png$/,
  /^deploy\/(Dockerfile|database-command\.sh|[\w-]+\.yaml)$/,
  /^deploy\/monitoring\/(alerts\.yaml|dashboard\.json)$/,
];

/** Pages for developers. The package does not have them, but its README names them. */
const NOT_PACKAGED = new Set(['ARCHITECTURE.md', 'CONTRIBUTING.md']);

const folder = temporaryFolder();
const installed = join(folder.path, 'installed');
let packed: PackedPackage;

beforeAll(async () => {
  packed = await pack(folder.path);
  mkdirSync(installed);
  await install(installed, packed.archive);
});

afterAll(() => folder.remove());

function read(file: string): string {
  return readFileSync(join(installed, 'node_modules/steward', file), 'utf8');
}

describe('[DEC80] the package', () => {
  test('has exactly the files that users need', () => {
    expect(packed.files.filter((file) => !FILES.some((pattern) => pattern.test(file)))).toEqual([]);
    expect(FILES.filter((pattern) => !packed.files.some((file) => pattern.test(file)))).toEqual([]);
  });

  test('needs no packages but those with native code', () => {
    const needed = [...lockedRuntimePackages().keys()];
    expect(needed.filter((path) => !/\/node-(addon-api|gyp-build)$|argon2|sqlite$/.test(path))).toEqual([]);
  });

  test('[O4] operations.md has the number of packages that npm installs', () => {
    const lock = readFileSync(join(installed, 'node_modules/.package-lock.json'), 'utf8');
    expect(Object.keys(JSON.parse(lock).packages)).toHaveLength(6);
    expect(read('docs/operations.md')).toContain('these are six packages');
  });

  test('has no link to a page that it lacks, except to those for developers', () => {
    const links = packed.files
      .filter((file) => file.endsWith('.md'))
      .flatMap((page) =>
        [...read(page).matchAll(/\]\((?!https?:)([^)#\s]+)(#[^)]*)?\)/g)].map(([, to = '']) =>
          normalize(join(dirname(page), to)).replace(/\/$/, ''),
        ),
      );
    const dead = links.filter((link) => !packed.files.some((file) => file === link || file.startsWith(`${link}/`)));
    expect(dead.filter((link) => !NOT_PACKAGED.has(link))).toEqual([]);
  });
});

describe('[DEC80] what the package says about the code of others', () => {
  /** `name version (licence, in dist)`. */
  const noticed = (): ReadonlyMap<string, string> =>
    new Map(
      [...read('THIRD_PARTY_NOTICES').matchAll(/^(\S+ \d\S+) \(([^\n]+)\)$/gm)].map(([, name = '', note = '']) => [
        name,
        note,
      ]),
    );
  const nameOf = (path: string): string => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

  test('the notices name every package that is needed at run time', () => {
    const expected = [...lockedRuntimePackages()].map(([path, { version }]) => `${nameOf(path)} ${version}`);
    expect(expected.length).toBeGreaterThan(3);
    expect(expected.filter((name) => !noticed().has(name))).toEqual([]);
  });

  test('the notices name every package whose code is in dist, with its licence text', () => {
    const maps = readdirSync(join(PROJECT, 'dist')).filter((name) => name.endsWith('.js.map'));
    const sources = maps.flatMap((name) =>
      [...readFileSync(join(PROJECT, 'dist', name), 'utf8').matchAll(/"\.\.\/(node_modules\/[^"]+)"/g)].map(
        ([, source = '']) => source,
      ),
    );
    const names = new Set(
      sources.map((source) => /(?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1] ?? source),
    );
    const inServer = new Set(
      [...noticed()].filter(([, note]) => /, in dist( and|$)/.test(note)).map(([name]) => name.split(' ')[0]),
    );
    expect(names.size).toBeGreaterThan(50);
    expect([...names].filter((name) => !inServer.has(name))).toEqual([]);
    const inConsole = [...noticed()].filter(([, note]) => note.includes('in dist/console')).map(([name]) => name);
    for (const name of ['react', 'react-dom', '@mantine/core', '@tanstack/query-core', 'wouter', 'vite'])
      expect(inConsole.some((one) => one.startsWith(`${name} `))).toBe(true);
    expect(read('THIRD_PARTY_NOTICES')).toContain('Copyright (c) 2021 Vitaly Rtishchev');
  });

  test('the bill of materials has the same packages, without times, addresses and paths', () => {
    const bill = JSON.parse(read('sbom.cdx.json')) as {
      readonly bomFormat: string;
      readonly components: readonly { readonly name: string; readonly version: string }[];
    };
    expect(bill.bomFormat).toBe('CycloneDX');
    const names = bill.components.map(({ name, version }) => `${name} ${version}`);
    expect(names.toSorted()).toEqual([...noticed().keys()].toSorted());
    expect(read('sbom.cdx.json').match(/https?:[^"]+|timestamp|serialNumber|"\/[^"]+/g)).toEqual([
      'http://cyclonedx.org/schema/bom-1.5.schema.json',
    ]);
  });

  test('both files are the same when they are made again', async () => {
    await npm(PROJECT, 'run', 'prepack');
    for (const file of ['THIRD_PARTY_NOTICES', 'sbom.cdx.json'])
      expect(readFileSync(join(PROJECT, file), 'utf8') === read(file)).toBe(true);
  });
});

describe('[DEC80] an installation without install scripts', () => {
  test('npx steward serves the catalog and every file of the console, and stops when it is asked to', async () => {
    const steward = await startSteward({
      command: ['npx', 'steward'],
      cwd: installed,
      isGroup: true,
      data: join(installed, 'data'),
      env: { HOME: installed },
    });
    expect((await steward.get('/rest/services')).body).toMatchObject({ folders: [], services: [] });
    expect((await steward.get('/services?wsdl')).text).toContain('ServiceCatalogPort');
    const page = await steward.get('/console/');
    expect(page.status).toBe(200);
    const assets = packed.files.flatMap((file) => /^dist\/console\/(assets\/.+)$/.exec(file)?.[1] ?? []);
    expect(assets.length).toBeGreaterThan(20);
    const statuses: number[] = [];
    for (const asset of assets) statuses.push((await steward.get(`/console/${asset}`)).status);
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
    expect(assets.filter((asset) => page.text.includes(asset)).length).toBeGreaterThan(1);

    await steward.end('SIGTERM');
    expect(steward.log()).toContain('"msg":"stopped"');
  });

  test('the program of the package runs other commands', async () => {
    const run = (...args: string[]) => runCommand(join(installed, 'node_modules/.bin/steward'), args);
    expect(await run('--version')).toMatchObject({ status: 0, stdout: `${VERSION}\n` });
    const backup = await run('backup', '--data', join(installed, 'data'), join(installed, 'copy.db'));
    expect(backup).toMatchObject({ status: 0 });
  });

  test.each(['x64', 'arm64'])('has the native parts for Linux on %s', async (cpu) => {
    const other = join(folder.path, cpu);
    mkdirSync(other);
    await install(other, packed.archive, '--os=linux', `--cpu=${cpu}`, '--libc=glibc');
    const native = [
      `@photostructure/sqlite/prebuilds/linux-${cpu}/@photostructure+sqlite.glibc.node`,
      `@node-rs/argon2-linux-${cpu}-gnu/argon2.linux-${cpu}-gnu.node`,
    ];
    expect(native.map((file) => machineOf(join(other, 'node_modules', file)))).toEqual([cpu, cpu]);
  });
});

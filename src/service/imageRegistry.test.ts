import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RegistryServer } from '../../test/support/registry/registryServer.ts';
import { imageManifest, startRegistry } from '../../test/support/registry/registryServer.ts';
import type { TemporaryFolder } from '../../test/support/run/runFolder.ts';
import { temporaryFolder } from '../../test/support/run/runFolder.ts';
import { makeVersion } from '../cli/manifest/makeVersion.ts';
import { openImageRegistry } from './imageRegistry.ts';

let folder: TemporaryFolder;
let registry: RegistryServer;
beforeEach(async () => {
  folder = temporaryFolder();
  registry = await startRegistry();
});
afterEach(async () => {
  await registry.close();
  folder.remove();
});

const BASIC = Buffer.from('ann:secret').toString('base64');

function demandPassword(): void {
  registry.answerWith(({ authorization }) =>
    authorization === `Basic ${BASIC}`
      ? undefined
      : { status: 401, headers: { 'www-authenticate': 'Basic realm="registry"' } },
  );
}

function dockerLogin(home: string): void {
  mkdirSync(join(home, '.docker'), { recursive: true });
  writeFileSync(join(home, '.docker', 'config.json'), JSON.stringify({ auths: { [registry.host]: { auth: BASIC } } }));
}

async function find(image: string, environment: Readonly<Record<string, string>>) {
  const opened = openImageRegistry({}, environment);
  try {
    return await opened.find(image);
  } finally {
    await opened.close();
  }
}

describe('[UPG3] the image registry of commands', () => {
  test('a tag is resolved to the digest of its manifest', async () => {
    const digest = registry.put('acme/web', imageManifest('web'), '1');
    expect(await find(`${registry.host}/acme/web:1`, { HOME: folder.path })).toMatchObject({ kind: 'found', digest });
  });

  test('credentials come from the configuration that docker login writes', async () => {
    const digest = registry.put('acme/web', imageManifest('web'), '1');
    demandPassword();
    const image = `${registry.host}/acme/web:1`;
    expect(await find(image, { HOME: folder.path })).toMatchObject({ kind: 'unknown' });
    dockerLogin(folder.path);
    expect(await find(image, { HOME: folder.path })).toMatchObject({ kind: 'found', digest });
    const elsewhere = { HOME: '/nowhere', DOCKER_CONFIG: join(folder.path, '.docker') };
    expect(await find(image, elsewhere)).toMatchObject({ kind: 'found', digest });
  });

  test('a certificate file and a registry that cannot be used are named', () => {
    expect(() => openImageRegistry({ registryCa: join(folder.path, 'none.pem') }, {})).toThrow('none.pem');
    const file = join(folder.path, 'ca.pem');
    writeFileSync(file, 'no certificate');
    expect(() => openImageRegistry({ registryCa: file }, {})).toThrow('it contains no certificate in PEM');
    expect(() => openImageRegistry({ registryHttp: 'https://r.example' }, {})).toThrow('--registry-http must be');
  });

  test('manifest make writes the digests of the tags in a rendered chart', async () => {
    const digest = registry.put('acme/web', imageManifest('web'), '1');
    const chart = join(folder.path, 'chart.yaml');
    const image = `${registry.host}/acme/web:1`;
    writeFileSync(
      chart,
      [
        '---',
        '# Source: acme/templates/web.yaml',
        'kind: Deployment',
        'metadata: {name: web}',
        `spec: {template: {spec: {containers: [{name: app, image: "${image}"}]}}}`,
        '---',
        'kind: Pod',
        'metadata: {name: test, annotations: {helm.sh/hook: test}}',
        'spec: {containers: [{name: probe, image: "nowhere.invalid/probe:1"}]}',
      ].join('\n'),
    );
    const printed: string[] = [];
    const options = { update: 'release', version: '1', build: '1', images: chart };
    const openRegistry = async () => openImageRegistry({}, { HOME: folder.path });
    await makeVersion(
      options,
      (text) => void printed.push(text),
      () => undefined,
      { openRegistry },
    );
    expect(JSON.parse(printed.join(''))[0].containers).toEqual([{ name: 'app', checksum: digest, image }]);
  });
});

import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { TemporaryFolder } from '../../../../test/support/run/runFolder.ts';
import { temporaryFolder } from '../../../../test/support/run/runFolder.ts';
import { StewardError } from '../../../foundation/errors.ts';
import { readManifest } from '../../../model/manifest/manifest.ts';
import { readBundle } from '../../../model/objects/readBundle.ts';
import { bundleChecksum } from '../../../model/objects/bundleText.ts';
import type { MakeOptions } from '../makeVersion.ts';
import { makeVersion } from '../makeVersion.ts';
import { verifyFile } from '../manifestFile.ts';
import type { PushOptions, PushRegistry } from './pushBundle.ts';
import { pushBundle } from './pushBundle.ts';

const DIGEST = `sha256:${'ab'.repeat(32)}`;
const CHART = `---
# Source: shop/templates/web.yaml
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  labels: {steward/upgrade: "true"}
  creationTimestamp: null
spec:
  template:
    spec:
      containers:
        - name: web
          image: registry.example/web:1@${DIGEST}
status: {}
---
---
apiVersion: v1
kind: Pod
metadata: {name: web-test, annotations: {helm.sh/hook: test}}
spec: {containers: [{name: test, image: tools}]}
---
apiVersion: batch/v1
kind: Job
metadata: {name: migrate, annotations: {helm.sh/hook: "pre-upgrade,pre-install"}}
---
apiVersion: v1
kind: List
items:
  - apiVersion: v1
    kind: ConfigMap
    metadata:
      name: settings
      uid: a-b-c
      annotations: {kubectl.kubernetes.io/last-applied-configuration: "{}"}
    data: {mode: "on"}
`;

let folder: TemporaryFolder;
let [chart, manifest]: [string, string] = ['', ''];
beforeEach(() => {
  folder = temporaryFolder();
  chart = join(folder.path, 'chart.yaml');
  manifest = join(folder.path, 'manifest.json');
  writeFileSync(chart, CHART);
});
afterEach(() => folder.remove());

async function outcome(act: (print: (text: string) => void, note: (text: string) => void) => Promise<void>) {
  const [printed, noted]: [string[], string[]] = [[], []];
  const error = await act(
    (text) => void printed.push(text),
    (text) => void noted.push(text),
  ).then(
    () => undefined,
    (caught: unknown) => caught,
  );
  if (error !== undefined && !(error instanceof StewardError)) throw error;
  return { printed: printed.join(''), noted: noted.join(''), details: error?.details ?? [], message: error?.message };
}

function make(options: MakeOptions = {}) {
  const all = { update: 'release', version: '11', build: '1', previousVersion: '10', objects: chart, ...options };
  return outcome((print, note) => makeVersion(all, print, note, { now: 0 }));
}

const bundleFile = (id = 'rel_11.1'): string => join(folder.path, `${id}.objects.jsonl`);

function versionsMade() {
  const read = readManifest(readFileSync(manifest, 'utf8'));
  if (read.kind === 'invalid') throw new Error(read.problems.join());
  return read.manifest.versions;
}

describe('[OBJ1] steward manifest make --objects', () => {
  test('writes a bundle beside the manifest, and its checksum into the version', async () => {
    const { noted, message } = await make({ output: manifest });
    expect(message).toBeUndefined();
    const bundle = readFileSync(bundleFile());
    expect(bundle.toString('utf8').split('\n')).toEqual([
      '{"apiVersion":"v1","data":{"mode":"on"},"kind":"ConfigMap","metadata":{"name":"settings"}}',
      `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"labels":{"steward/upgrade":"true"},"name":"web"},"spec":{"template":{"spec":{"containers":[{"image":"registry.example/web:1@${DIGEST}","name":"web"}]}}}}`,
      '',
    ]);
    const [version] = versionsMade();
    expect(version).toMatchObject({ objects: { checksum: bundleChecksum(bundle) }, requires: ['objects'] });
    expect(version?.containers.map(({ name }) => name)).toEqual(['web']);
    expect(noted).toContain('2 objects, sha256:');
    expect(readBundle(bundle).kind).toBe('valid');
  });

  test('names the Helm hooks and test Pods that it leaves out', async () => {
    const { noted } = await make({ output: manifest });
    expect(noted).toContain('Pod/web-test: a Helm hook (test)');
    expect(noted).toContain('Job/migrate: a Helm hook (pre-upgrade,pre-install)');
  });

  test('reads a folder, and notes what a server needs', async () => {
    const parts = join(folder.path, 'parts');
    mkdirSync(join(parts, 'more'), { recursive: true });
    writeFileSync(join(parts, 'chart.yaml'), CHART.replaceAll('steward/upgrade', 'other'));
    const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'a' } };
    writeFileSync(join(parts, 'more', 'role.json'), JSON.stringify(role));
    writeFileSync(
      join(parts, 'more', 'secret.yml'),
      'apiVersion: v1\nkind: Secret\nmetadata: {name: key, namespace: shop}\nstringData: {a: hunter2}\n',
    );
    const { noted } = await make({ objects: parts, output: manifest });
    expect(noted).toContain('STEWARD_CLUSTER_KINDS=ClusterRole.');
    expect(noted).toContain('into the namespace shop only');
    expect(noted).toContain('Deployment/web without the label steward/upgrade');
    expect(noted).toContain('values of Secret/key in plain text');
    expect(noted).not.toContain('hunter2');
    expect(statSync(bundleFile()).mode & 0o777).toBe(0o600);
  });

  test('names file, document and field of what it refuses, and writes nothing', async () => {
    writeFileSync(
      chart,
      [
        CHART,
        'apiVersion: v1\nkind: ConfigMap\nmetadata: {generateName: a-}',
        'apiVersion: v1\nkind: Secret\nmetadata: {name: key}\ndata: {password: hunter2}',
        'replicas: 2',
        'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization',
        'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\ndata: {a: .nan, b: 12345678901234567890}',
      ].join('\n---\n'),
    );
    const { details } = await make({ output: manifest });
    expect(details).toEqual([
      `${chart}: document 8: is not an object of Kubernetes, because it has no kind; a chart must be rendered with helm template first`,
      `${chart}: document 9: is not an object of Kubernetes, but a file of kustomize; give what kustomize build prints`,
      `${chart}: document 6: metadata.generateName is not allowed; an object needs a fixed name`,
      `${chart}: document 7: Secret/key: data.password must be base64`,
      expect.stringContaining('document 10: ConfigMap/b: data.a must be a string'),
      expect.stringContaining('document 10: ConfigMap/b: data.b must be a string'),
      expect.stringContaining('document 10: ConfigMap/b: data.a must be a finite number'),
    ]);
    expect(readdirSync(folder.path)).toEqual(['chart.yaml']);
  });

  test('refuses YAML that a parser may not see: aliases, two keys of one name, templates', async () => {
    for (const text of ['a: &x 1\nb: *x', 'a: 1\na: 2', '{{ if .Values.a }}\na: 1\n{{ end }}']) {
      writeFileSync(chart, `kind: ConfigMap\n${text}\n`);
      const { details } = await make({ output: manifest });
      expect(details).toContainEqual(expect.stringContaining(chart));
    }
  });

  test('has the images of hooks in the version, which are pinned like the others', async () => {
    const hook = `apiVersion: batch/v1
kind: CronJob
metadata: {name: backup, labels: {steward/hook: backup}}
spec: {jobTemplate: {spec: {template: {spec: {containers: [{name: backup, image: "tools:1@${DIGEST}"}]}}}}}
`;
    writeFileSync(chart, `${CHART}---\n${hook}`);
    expect((await make({ output: manifest })).details).toEqual([]);
    expect(versionsMade()[0]?.containers.map(({ name }) => name)).toEqual(['web', 'backup']);
  });

  test('compares the images with those of the version', async () => {
    const images = join(folder.path, 'images.txt');
    writeFileSync(images, `web registry.example/web:2@${DIGEST}\n`);
    expect((await make({ images, output: manifest })).details).toEqual([]);
    writeFileSync(images, `web registry.example/web:2@sha256:${'cd'.repeat(32)}\n`);
    expect((await make({ images, id: 'rel_other', output: `${manifest}2` })).details).toEqual([
      expect.stringMatching(/^Deployment\/web: the container web has the image .* and the version has .*--images/),
    ]);
  });

  test('never overwrites the bundle of another version, and replaces that of the same one', async () => {
    await make({ output: manifest });
    writeFileSync(chart, CHART.replace('"on"', '"off"'));
    expect((await make({ output: `${manifest}2` })).message).toMatch(
      /rel_11\.1\.objects\.jsonl already exists and was not changed\. It has other objects .* remove it; otherwise give the version another --id/,
    );
    const { message, noted } = await make({ into: manifest, objectsImage: `registry.example/objects@${DIGEST}` });
    expect(message).toBeUndefined();
    expect(noted).toContain('Wrote');
    expect(readFileSync(bundleFile(), 'utf8')).toContain('"off"');
    expect(versionsMade()[0]?.objects).toEqual({
      checksum: bundleChecksum(readFileSync(bundleFile())),
      image: `registry.example/objects@${DIGEST}`,
    });
  });

  test('removes the bundle if the manifest cannot be written', async () => {
    writeFileSync(manifest, '');
    expect((await make({ output: manifest })).message).toMatch(/manifest\.json already exists .* use --into/);
    expect(readdirSync(folder.path)).toEqual(['chart.yaml', 'manifest.json']);
  });

  test('takes a place in a registry that is pinned, and only with objects', async () => {
    const { details } = await make({ objectsImage: 'registry.example/objects:1' });
    expect(details).toEqual([expect.stringContaining('--objects-image must be pinned')]);
    const images = join(folder.path, 'images.txt');
    writeFileSync(images, `registry.example/web:1@${DIGEST}\n`);
    const options = { update: 'release', version: '11', build: '1', images, objectsImage: `a@${DIGEST}` };
    const without = await outcome((print, note) => makeVersion(options, print, note, { now: 0 }));
    expect(without.details).toEqual(['--objects-image needs --objects']);
  });
});

test('[OBJ1] steward manifest verify shows the checksums of the objects', async () => {
  const image = `registry.example/objects@${DIGEST}`;
  await make({ output: manifest, objectsImage: image });
  const { printed } = await outcome((print) => verifyFile(manifest, {}, print));
  expect(printed).toContain(
    `1\n\nObjects:\n\n  rel_11.1   ${bundleChecksum(readFileSync(bundleFile()))}   ${image}\n\nIt is not signed.`,
  );
});

describe('[OBJ1] steward manifest push', () => {
  function registryOf() {
    const pushed: unknown[] = [];
    const registry: PushRegistry = {
      async push(image, bundle, login) {
        pushed.push([image, bundle.toString('utf8'), login]);
        return DIGEST;
      },
      close: async () => undefined,
    };
    return { pushed, registry };
  }
  const streams = { environment: {}, canAsk: false, ask: async () => '', readInput: async () => 'secret\n' };

  function push(options: PushOptions, registry: PushRegistry, file = bundleFile()) {
    return outcome((print, note) =>
      pushBundle(file, options, { print, note, openRegistry: async () => registry, streams }),
    );
  }

  test('prints where the objects are, and writes it into the versions that have them', async () => {
    await make({ output: manifest });
    const { pushed, registry } = registryOf();
    const to = 'registry.example:5000/shop/objects:11';
    const { printed, noted } = await push({ to, into: manifest, username: 'ann' }, registry);
    const image = `registry.example:5000/shop/objects@${DIGEST}`;
    expect(printed).toBe(`${image}\n`);
    expect(noted).toContain('1 version');
    expect(pushed).toEqual([[to, readFileSync(bundleFile(), 'utf8'), { username: 'ann', password: 'secret' }]]);
    expect(versionsMade()[0]?.objects?.image).toBe(image);
  });

  test('pushes a bundle only, which the manifest has, and to a place that can have a tag', async () => {
    await make({ output: manifest });
    const { pushed, registry } = registryOf();
    const to = 'registry.example/objects';
    expect((await push({ to }, registry, chart)).message).toContain('is not what manifest make --objects writes');
    expect((await push({ to: `${to}@${DIGEST}` }, registry)).message).toContain('--to must be registry/name');
    writeFileSync(bundleFile(), '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"}}\n');
    expect((await push({ to, into: manifest }, registry)).message).toContain('No version in');
    expect((await push({ to }, registry, '/nowhere')).message).toContain('cannot be read');
    expect(pushed).toEqual([]);
  });
});

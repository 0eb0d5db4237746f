import { describe, expect, test } from 'vitest';
import type { NamedImage } from './clusterImages.ts';
import { containersOf, findImages, findImagesInFiles } from './images.ts';
import type { FoundDigest } from './registryDigests.ts';
import { resolveTags } from './registryDigests.ts';

const A = `sha256:${'aa'.repeat(32)}`;
const B = `sha256:${'bb'.repeat(32)}`;

/** A registry that knows these images, and what it was asked. */
function registryOf(known: Readonly<Record<string, string>>, otherwise?: FoundDigest) {
  const asked: string[] = [];
  let [opened, closed] = [0, 0];
  const absent: FoundDigest = { kind: 'absent', reason: 'the registry r.example has no such image' };
  return {
    asked,
    counts: () => ({ opened, closed }),
    async open() {
      opened += 1;
      return {
        async find(image: string): Promise<FoundDigest> {
          asked.push(image);
          const digest = known[image];
          return digest === undefined ? (otherwise ?? absent) : { kind: 'found', digest };
        },
        async close(): Promise<void> {
          closed += 1;
        },
      };
    },
  };
}

const deployment = (name: string, ...containers: readonly (readonly [string, string])[]) => ({
  kind: 'Deployment',
  metadata: { name },
  spec: { template: { spec: { containers: containers.map(([one, image]) => ({ name: one, image })) } } },
});

function imagesIn(document: object): readonly NamedImage[] {
  const found = findImages(JSON.stringify(document));
  if (found.kind === 'unreadable') throw new Error(found.problem);
  return found.images;
}

async function made(document: object, registry: ReturnType<typeof registryOf>) {
  return containersOf({ kind: 'found', images: await resolveTags(imagesIn(document), registry.open) });
}

describe('[UPG3] tags of images', () => {
  test('each tag is asked once, and pinned images are not asked', async () => {
    const registry = registryOf({ 'r.example/web:1': A });
    const items = [
      deployment('web', ['app', 'r.example/web:1']),
      deployment('copy', ['app', 'r.example/web:1'], ['side', `r.example/side:1@${B}`]),
    ];
    expect(await made({ kind: 'List', items }, registry)).toEqual({
      problems: [],
      containers: [
        { name: 'app', checksum: A, image: 'r.example/web:1' },
        { name: 'side', checksum: B, image: `r.example/side:1@${B}` },
      ],
    });
    expect(registry.asked).toEqual(['r.example/web:1']);
    expect(registry.counts()).toEqual({ opened: 1, closed: 1 });
  });

  test('no registry is opened if every image is pinned', async () => {
    const registry = registryOf({});
    await made(deployment('web', ['app', `r.example/web@${A}`]), registry);
    expect(registry.counts()).toEqual({ opened: 0, closed: 0 });
  });

  test('containers that share a name and have different digests are addressed by their workload', async () => {
    const registry = registryOf({ 'r.example/web:1': A, 'r.example/api:1': B });
    const items = [deployment('web', ['app', 'r.example/web:1']), deployment('api', ['app', 'r.example/api:1'])];
    const { containers } = await made({ kind: 'List', items }, registry);
    expect(containers.map(({ name, checksum }) => [name, checksum])).toEqual([
      ['web/app', A],
      ['api/app', B],
    ]);
  });

  test('a tag that the registry does not know is an error that names workload, container and image', async () => {
    const { problems } = await made(deployment('web', ['app', 'r.example/web:9']), registryOf({}));
    expect(problems).toEqual([
      'Deployment web, container 1: the container app has the image r.example/web:9, but the registry r.example has no such image. Push it, or correct its tag',
    ]);
  });

  test('a registry that does not answer is an error with its reason', async () => {
    const registry = registryOf({}, { kind: 'unknown', reason: 'the registry r.example answered 401 for web' });
    const { problems } = await made(deployment('web', ['app', 'r.example/web:9']), registry);
    expect(problems).toEqual([
      'Deployment web, container 1: the container app has the image r.example/web:9, whose digest is not known: the registry r.example answered 401 for web. Try again, or pin it as image@sha256:…',
    ]);
  });

  test('an invalid name and an invalid digest are not asked for', async () => {
    const registry = registryOf({});
    const { problems } = await made(deployment('web', ['a', 'R.example/WEB:1'], ['b', 'web@sha256:12']), registry);
    expect(problems).toEqual([
      'Deployment web, container 1: image must be an image name such as registry.example/web:11.0',
      'Deployment web, container 2: the image must be pinned, as image@sha256: and 64 hex digits',
    ]);
    expect(registry.asked).toEqual([]);
  });

  test('the registry is closed after an error of it', async () => {
    let closed = 0;
    const open = async () => ({
      find: () => Promise.reject(new Error('gone')),
      close: async () => void (closed += 1),
    });
    await expect(resolveTags(imagesIn(deployment('web', ['app', 'web:1'])), open)).rejects.toThrow('gone');
    expect(closed).toBe(1);
  });

  test('hooks of Helm and of Steward are left out, because an upgrade does not change their images', () => {
    const hook = { ...deployment('backup', ['run', 'r.example/backup:1']), kind: 'CronJob' };
    const items = [
      { ...hook, metadata: { name: 'backup', labels: { 'steward/hook': 'backup' } } },
      { ...hook, kind: 'Job', metadata: { name: 'migrate', annotations: { 'helm.sh/hook': 'pre-upgrade' } } },
      deployment('web', ['app', 'r.example/web:1']),
    ];
    expect(imagesIn({ kind: 'List', items }).map(({ name }) => name)).toEqual(['app']);
  });

  test('a problem in a folder names its file', async () => {
    const text = JSON.stringify(deployment('web', ['app', 'r.example/web:9']));
    const found = findImagesInFiles([{ name: 'a/web.json', text }]);
    if (found.kind === 'unreadable') throw new Error(found.problem);
    const images = await resolveTags(found.images, registryOf({}).open);
    expect(containersOf({ kind: 'found', images }).problems[0]).toMatch(/^a\/web\.json: Deployment web, container 1: /);
  });
});

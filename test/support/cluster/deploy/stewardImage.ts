// The image of Steward for the tests: what deploy/Dockerfile makes, on the Node of this machine.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, parseJson, valueAt } from '../../../../src/foundation/schema/json.ts';
import { PROJECT } from '../../run/project.ts';
import type { TestImage } from '../cluster.ts';
import type { ImageRoot } from './importImage.ts';
import { importImage } from './importImage.ts';

const NAME = 'steward';
const THIS_FILE = 'test/support/cluster/deploy/stewardImage.ts';
const PATH = 'ENV PATH=/usr/local/bin:/usr/bin:/bin';

interface Recipe {
  /** The instructions of the last stage that describe how to run the image. */
  readonly changes: readonly string[];
  /** Paths of packages that are not in the image. */
  readonly removed: readonly string[];
}

/** Reads what deploy/Dockerfile decides. */
function readRecipe(): Recipe {
  const dockerfile = readFileSync(join(PROJECT, 'deploy/Dockerfile'), 'utf8');
  const lastStage = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));
  const changes = lastStage.split('\n').filter((line) => /^(ENV|USER|ENTRYPOINT|CMD) /.test(line));
  const removed = /^RUN rm -r (.+)$/m.exec(dockerfile)?.[1]?.split(' ') ?? [];
  if (changes.length !== 4 || removed.length === 0)
    throw new Error('deploy/Dockerfile has other instructions than this test expects');
  return { changes, removed };
}

/** The paths of the packages that are not only for development. */
function productionPackages(): readonly string[] {
  const lock = parseJson(readFileSync(join(PROJECT, 'package-lock.json'), 'utf8'));
  const packages = valueAt(lock, 'packages');
  if (!isObject(packages)) throw new Error('package-lock.json lists no packages');
  return Object.entries(packages)
    .filter(([path, one]) => path !== '' && path.lastIndexOf('node_modules/') === 0 && valueAt(one, 'dev') !== true)
    .map(([path]) => path)
    .filter((path) => existsSync(join(PROJECT, path)));
}

async function fill(root: ImageRoot, { removed }: Recipe): Promise<void> {
  await root.addProgram(process.execPath, '/usr/local/bin/node');
  // The probes of the variant ask with it.
  await root.addProgram('/usr/bin/openssl');
  const packages = productionPackages().filter((path) => !removed.some((one) => `${path}/`.startsWith(`${one}/`)));
  for (const path of ['package.json', 'dist', ...packages]) root.addCopy(join(PROJECT, path), `/app/${path}`);
}

/** Makes two images of the built Steward that differ only in their checksums. */
export async function makeStewardImages(): Promise<readonly [TestImage, TestImage]> {
  const recipe = readRecipe();
  const contents = ['dist/.built', 'package-lock.json', 'deploy/Dockerfile', THIS_FILE].map((path) =>
    readFileSync(join(PROJECT, path)),
  );
  const build = createHash('sha256').update(Buffer.concat(contents)).digest('hex').slice(0, 12);
  const tags = [`1-${build}`, `2-${build}`];
  const [old, next] = await importImage(NAME, tags, [PATH, ...recipe.changes], (root) => fill(root, recipe));
  if (old === undefined || next === undefined) throw new Error('the images of Steward are missing');
  return [old, next];
}

/** Makes an image whose program ends at once, for a Steward that does not start. */
export async function makeBrokenImage(): Promise<TestImage> {
  const [image] = await importImage(`${NAME}-broken`, ['1'], ['ENTRYPOINT ["/bin/busybox", "false"]'], async () => {});
  if (image === undefined) throw new Error('the broken image is missing');
  return image;
}

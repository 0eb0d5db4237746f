// The image of Steward for the tests: what deploy/Dockerfile makes, on the Node of this machine.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { lockedRuntimePackages, pack } from '../../package/packedPackage.ts';
import { PROJECT } from '../../run/project.ts';
import { runCommand, temporaryFolder } from '../../run/runFolder.ts';
import type { TestImage } from '../cluster.ts';
import type { ImageRoot } from './importImage.ts';
import { importImage } from './importImage.ts';

const NAME = 'steward';
const THIS_FILE = 'test/support/cluster/deploy/stewardImage.ts';
const PATH = 'ENV PATH=/usr/local/bin:/usr/bin:/bin';

/** The instructions of the last stage of deploy/Dockerfile that describe how to run the image. */
function readInstructions(): readonly string[] {
  const dockerfile = readFileSync(join(PROJECT, 'deploy/Dockerfile'), 'utf8');
  const lastStage = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));
  const instructions = lastStage.split('\n').filter((line) => /^(ENV|USER|ENTRYPOINT|CMD) /.test(line));
  if (instructions.length !== 4) throw new Error('deploy/Dockerfile has other instructions than this test expects');
  return instructions;
}

/** Unpacks the npm package, and adds the packages that it needs from those of this machine. */
async function fill(root: ImageRoot): Promise<void> {
  await root.addProgram(process.execPath, '/usr/local/bin/node');
  // The probes of the variant ask with it.
  await root.addProgram('/usr/bin/openssl');
  const folder = temporaryFolder();
  const unpacked = join(folder.path, 'unpacked');
  const { archive } = await pack(folder.path);
  mkdirSync(unpacked);
  const { status, stderr } = await runCommand('tar', ['-xzf', archive, '-C', unpacked, '--strip-components=1']);
  if (status !== 0) throw new Error(`the package cannot be unpacked: ${stderr}`);
  root.addCopy(unpacked, '/app');
  for (const path of lockedRuntimePackages().keys()) {
    const place = join(PROJECT, path);
    if (!existsSync(place)) continue;
    root.addCopy(place, `/app/${path}`);
    for (const file of readdirSync(place, { recursive: true, encoding: 'utf8' }))
      if (file.endsWith('.node')) await root.addLibrariesOf(join(place, file));
  }
  folder.remove();
}

/** Makes two images of the built Steward that differ only in their checksums. */
export async function makeStewardImages(): Promise<readonly [TestImage, TestImage]> {
  const contents = ['dist/.built', 'package-lock.json', 'deploy/Dockerfile', THIS_FILE].map((path) =>
    readFileSync(join(PROJECT, path)),
  );
  const build = createHash('sha256').update(Buffer.concat(contents)).digest('hex').slice(0, 12);
  const tags = [`1-${build}`, `2-${build}`];
  const [old, next] = await importImage(NAME, tags, [PATH, ...readInstructions()], fill);
  if (old === undefined || next === undefined) throw new Error('the images of Steward are missing');
  return [old, next];
}

/** Makes an image whose program ends at once, for a Steward that does not start. */
export async function makeBrokenImage(): Promise<TestImage> {
  const [image] = await importImage(`${NAME}-broken`, ['1'], ['ENTRYPOINT ["/bin/busybox", "false"]'], async () => {});
  if (image === undefined) throw new Error('the broken image is missing');
  return image;
}

// Makes container images from programs of this machine, because no registry with base images can be reached.
import { copyFileSync, cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { inject } from 'vitest';
import { runCommand, temporaryFolder } from '../../run/runFolder.ts';
import type { TestImage } from '../cluster.ts';
import { REGISTRY, pushedChecksum } from '../cluster.ts';

export interface ImageRoot {
  /** Copies a program of this machine, with the shared libraries that it loads. */
  addProgram(path: string, to?: string): Promise<void>;
  /** Copies the shared libraries that a native package loads. One for another machine has none here. */
  addLibrariesOf(addon: string): Promise<void>;
  /** Copies a file or a folder of this machine. */
  addCopy(from: string, to?: string): void;
  addText(path: string, text: string, mode?: number): void;
}

async function run(command: string, ...args: readonly string[]): Promise<string> {
  const env = { ...process.env, DOCKER_HOST: `unix://${inject('clusterFolder')}/docker.sock` };
  const { status, stdout, stderr } = await runCommand(command, args, { env });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr}`);
  return stdout;
}

async function librariesOf(program: string): Promise<readonly string[]> {
  const { stdout } = await runCommand('ldd', [program]);
  return [...stdout.matchAll(/\s(\/\S+) \(0x/g)].map(([, path = '']) => path);
}

/** Starts a root file system with a shell. */
function createRoot(folder: string): ImageRoot {
  const below = (path: string): string => {
    const place = join(folder, path);
    mkdirSync(dirname(place), { recursive: true });
    return place;
  };
  copyFileSync('/bin/busybox', below('/bin/busybox'));
  symlinkSync('busybox', below('/bin/sh'));
  async function addLibrariesOf(program: string): Promise<void> {
    for (const library of await librariesOf(program))
      if (!existsSync(below(library))) copyFileSync(library, below(library));
  }
  return {
    async addProgram(path, to = path) {
      copyFileSync(path, below(to));
      await addLibrariesOf(path);
    },
    addLibrariesOf,
    addCopy: (from, to = from) => cpSync(from, below(to), { recursive: true, dereference: true }),
    addText: (path, text, mode = 0o644) => writeFileSync(below(path), text, { mode }),
  };
}

/**
 * Imports an image and pushes it once for each tag, unless the registry has it. The tags differ in a label, so that each has its
 * own checksum. `changes` are instructions of a Dockerfile, such as ENTRYPOINT.
 */
export async function importImage(
  name: string,
  tags: readonly string[],
  changes: readonly string[],
  fill: (root: ImageRoot) => Promise<void>,
): Promise<readonly TestImage[]> {
  const missing: string[] = [];
  for (const tag of tags) if ((await pushedChecksum(name, tag)) === undefined) missing.push(tag);
  if (missing.length > 0) {
    const folder = temporaryFolder();
    const [root, file] = [join(folder.path, 'root'), join(folder.path, 'root.tar')];
    mkdirSync(root);
    await fill(createRoot(root));
    await run('tar', '-c', '-f', file, '-C', root, '--owner=0', '--group=0', '.');
    for (const tag of missing) {
      const options = [...changes, `LABEL tag=${tag}`].flatMap((change) => ['-c', change]);
      await run('docker', 'import', ...options, file, `${REGISTRY}/${name}:${tag}`);
      await run('docker', 'push', `${REGISTRY}/${name}:${tag}`);
    }
    folder.remove();
  }
  return Promise.all(
    tags.map(async (tag) => {
      const checksum = (await pushedChecksum(name, tag)) ?? '';
      return { reference: `${REGISTRY}/${name}@${checksum}`, tagged: `${REGISTRY}/${name}:${tag}`, checksum };
    }),
  );
}

import { spawnSync } from 'node:child_process';
import { mkdirSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../run/runFolder.ts';

/** A separate disk, in memory. */
export interface SmallDisk {
  readonly path: string;
  /** Leaves no free space. */
  fill(): void;
  makeReadOnly(): void;
  remove(): void;
}

function mount(...args: readonly string[]): boolean {
  return process.platform === 'linux' && process.getuid?.() === 0 && spawnSync('mount', args).status === 0;
}

/** Makes a small disk; undefined if this process may not mount one. */
export function makeSmallDisk(mib = 4): SmallDisk | undefined {
  const folder = temporaryFolder();
  const path = join(folder.path, 'disk');
  mkdirSync(path);
  if (!mount('-t', 'tmpfs', '-o', `size=${mib}m`, 'tmpfs', path)) {
    folder.remove();
    return undefined;
  }
  return {
    path,
    fill() {
      const { bavail, bsize } = statfsSync(path);
      writeFileSync(join(path, 'filling'), Buffer.alloc(bavail * bsize));
    },
    makeReadOnly: () => void mount('-o', 'remount,ro', path),
    remove() {
      // Lazily: a process that is about to end may still use it.
      spawnSync('umount', ['-l', path]);
      folder.remove();
    },
  };
}

/** Whether this process may mount a disk. */
export const hasSmallDisk: boolean = ((): boolean => {
  const disk = makeSmallDisk();
  disk?.remove();
  return disk !== undefined;
})();

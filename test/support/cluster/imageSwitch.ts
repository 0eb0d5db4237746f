// Images that a test breaks and repairs at once. The node is this machine, so a container sees a file as soon as it is written.
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../run/runFolder.ts';

export interface ImageSwitch {
  /** For `switchFolder` of a workload. */
  readonly folder: string;
  /** The command of a container that ends as long as its image is broken, with a log line that says so. */
  readonly command: readonly string[];
  /** Breaks an image, also where it runs already. */
  breakImage(name: string, tag: string): void;
  /** Repairs all images. */
  repair(): void;
  remove(): void;
}

const FILE = 'broken';
const SCRIPT = [
  `while ! /bin/busybox grep -qxf /version /switch/${FILE} 2>/dev/null; do /bin/busybox sleep 1; done`,
  'echo "the image $(/bin/busybox cat /version) is broken"',
  'exit 3',
].join('\n');

export function openImageSwitch(): ImageSwitch {
  const { path, remove } = temporaryFolder();
  chmodSync(path, 0o755);
  const file = join(path, FILE);
  return {
    folder: path,
    command: ['sh', '-c', SCRIPT],
    breakImage: (name, tag) => writeFileSync(file, `${name} ${tag}\n`, { flag: 'a' }),
    repair: () => rmSync(file, { force: true }),
    remove,
  };
}

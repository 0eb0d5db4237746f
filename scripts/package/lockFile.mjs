// What package-lock.json says about installed packages. It is the same on every machine, unlike node_modules, which has the
// native packages of one platform only.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { project } from '../ready.mjs';

const FOLDER = 'node_modules/';

export const lockFile = JSON.parse(readFileSync(join(project, 'package-lock.json'), 'utf8'));

/** The package at a path of the lock file, such as `node_modules/a/node_modules/b`. */
export function packageAt(path) {
  const { name, version, license, integrity, optional, os } = lockFile.packages[path];
  const folder = join(project, path);
  return {
    path,
    name: name ?? path.slice(path.lastIndexOf(FOLDER) + FOLDER.length),
    version,
    license,
    integrity,
    folder,
    isForOnePlatform: optional === true && os !== undefined,
  };
}

/** The packages that Steward needs at run time, for all platforms. */
export function runtimePackages() {
  return Object.keys(lockFile.packages)
    .filter((path) => path !== '' && lockFile.packages[path].dev !== true)
    .map(packageAt);
}

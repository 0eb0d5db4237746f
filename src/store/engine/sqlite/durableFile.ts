import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Flushes a file to disk, or the directory entries of a folder. */
export function syncPath(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Puts a file, or the names in a folder, on disk. */
export function syncPath(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

import { statSync } from 'node:fs';

/** The size of a file; 0 if it is not there, as for one that was emptied or cut off before its first byte. */
export function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

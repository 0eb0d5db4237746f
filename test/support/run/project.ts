import { join } from 'node:path';

/** The folder of the repository. */
export const PROJECT = join(import.meta.dirname, '..', '..', '..');

import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StewardError } from '../foundation/errors.ts';

const BYTES = 32;

export function masterKeyFile(folder: string, configured: string | undefined): string {
  return configured ?? join(folder, 'master.key');
}

/** 32 bytes as base64 in a file of its own: never in the store, so never in a backup of it. */
export function ensureMasterKey(folder: string, configured: string | undefined): void {
  const file = masterKeyFile(folder, configured);
  if (!existsSync(file)) {
    if (configured !== undefined) {
      throw new StewardError(
        'invalid',
        `STEWARD_MASTER_KEY_FILE names ${file}, which does not exist. Make one with: openssl rand -base64 32 > ${file}`,
      );
    }
    writeFileSync(file, `${randomBytes(BYTES).toString('base64')}\n`, { mode: 0o600, flush: true, flag: 'wx' });
  }
  if (Buffer.from(readFileSync(file, 'utf8').trim(), 'base64').length !== BYTES) {
    throw new StewardError('invalid', `${file} does not hold ${BYTES} bytes in base64. It is not a master key.`);
  }
}

import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { StewardError } from '../foundation/errors.ts';
import { keepSecret, readSecret } from './secretFile.ts';

const BYTES = 32;

export function masterKeyFile(folder: string, configured: string | undefined): string {
  return configured ?? join(folder, 'master.key');
}

/** 32 bytes as base64 in a file of its own: never in the store, so never in a backup of it. */
export function ensureMasterKey(folder: string, configured: string | undefined): void {
  const file = masterKeyFile(folder, configured);
  const kept = readSecret(file);
  if (kept === undefined && configured !== undefined) {
    throw new StewardError(
      'invalid',
      `STEWARD_MASTER_KEY_FILE names ${file}, which does not exist or is empty. Make one with: openssl rand -base64 32 > ${file}`,
    );
  }
  const key = kept ?? keepSecret(file, randomBytes(BYTES).toString('base64'));
  if (Buffer.from(key, 'base64').length === BYTES) return;
  throw new StewardError('invalid', `${file} does not hold ${BYTES} bytes in base64. It is not a master key.`);
}

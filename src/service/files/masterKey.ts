import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { StewardError } from '../../foundation/errors.ts';
import { quoted, writeSecretOnce, readSecret } from './secretFile.ts';

const BYTES = 32;

export function masterKeyFile(folder: string, configured: string | undefined): string {
  return configured ?? join(folder, 'master.key');
}

/**
 * Reads the master keys, or creates the first one. A key is 32 bytes in base64, in a file outside the store and so never
 * in its backups. Older keys follow on further lines until every secret is sealed with the first.
 */
export function ensureMasterKeys(folder: string, configured: string | undefined): readonly Buffer[] {
  const file = masterKeyFile(folder, configured);
  const kept = readSecret(file);
  if (kept === undefined && configured !== undefined) {
    throw new StewardError(
      'invalid',
      `STEWARD_MASTER_KEY_FILE names ${file}, which does not exist or is empty. Make one with: (umask 077; openssl rand -base64 32 > ${quoted(file)})`,
    );
  }
  const lines = (kept ?? writeSecretOnce(file, randomBytes(BYTES).toString('base64'))).split(/\s+/);
  const keys = lines.map((line) => Buffer.from(line, 'base64'));
  if (keys.every((key) => key.length === BYTES)) return keys;
  throw new StewardError('invalid', `${file} is not a master key: each line must be ${BYTES} bytes in base64.`);
}

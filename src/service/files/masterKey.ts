// The master key encrypts the secrets of webhooks, and the objects that an upgrade keeps for its undo. A key is 32 bytes in base64, in a file outside the store and so never in
// its backups. Older keys follow on further lines until every secret is sealed with the first.
import type { FoundStore } from '../../store/store.ts';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { counted } from '../../foundation/text/counted.ts';
import { StewardError } from '../../foundation/errors.ts';
import { ConfigurationError } from '../settings/configuration.ts';
import { quoted, readSecret, writeSecretOnce } from '../settings/secretFile.ts';

const BYTES = 32;

export function masterKeyFile(folder: string, configured: string | undefined): string {
  return configured ?? join(folder, 'master.key');
}

/** The command that writes a new key into a file. */
function makeKey(file: string): string {
  return `(umask 077; openssl rand -base64 ${BYTES} > ${quoted(file)})`;
}

function keysIn(file: string, content: string): readonly Buffer[] {
  const keys = content.split(/\s+/).map((line) => Buffer.from(line, 'base64'));
  if (keys.every((key) => key.length === BYTES)) return keys;
  throw new StewardError('invalid', `${file} is not a master key: each line must be ${BYTES} bytes in base64.`);
}

/** Reads the master keys and creates none. Returns undefined if the data folder has no key; a configured file must have one. */
export function readMasterKeys(folder: string, configured: string | undefined): readonly Buffer[] | undefined {
  const file = masterKeyFile(folder, configured);
  const content = readSecret(file);
  if (content !== undefined) return keysIn(file, content);
  if (configured === undefined) return undefined;
  throw new StewardError(
    'invalid',
    `STEWARD_MASTER_KEY_FILE names ${file}, which does not exist or is empty. Put the key of this store there. Only for a new store, make one with: ${makeKey(file)}`,
  );
}

/** Creates the key of a new store in its data folder. */
export function createMasterKey(folder: string): readonly Buffer[] {
  const file = masterKeyFile(folder, undefined);
  return keysIn(file, writeSecretOnce(file, randomBytes(BYTES).toString('base64')));
}

/** Refuses a start without a key on a store with secrets: a new key could open none of them, and nothing would be sent. */
export function refuseLostKey(
  folder: string,
  place: string,
  { sealedWebhooks, hasSealedObjects }: Pick<FoundStore, 'sealedWebhooks' | 'hasSealedObjects'>,
): void {
  const sealed = [
    ...(sealedWebhooks > 0 ? [`the secrets of ${counted(sealedWebhooks, 'webhook')}`] : []),
    ...(hasSealedObjects ? ['the objects that the last upgrade has kept for its undo'] : []),
  ];
  if (sealed.length === 0) return;
  const file = masterKeyFile(folder, undefined);
  throw new ConfigurationError(
    [
      `${file} ${existsSync(file) ? 'is empty' : 'is missing'}, and ${sealed.join(' and ')} in ${place} are encrypted. No new key was made, because it could not read them.`,
      `Put the key of this store there, or name its file with STEWARD_MASTER_KEY_FILE, and start Steward again.`,
      `If the key is lost: make a new one with ${makeKey(file)}, start Steward, and give each webhook a new key and its custom headers with: steward webhooks edit <service> <id> --signature-key-file <file> --headers-file <file> (docs/operations.md, "If the master key is lost").`,
    ],
    'The master key of the store is missing.',
  );
}

import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { StewardError } from './errors.ts';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const FORMAT = 's1';
const KEY_NAME_LENGTH = 8;

/** A sealed secret begins with this many characters that name its key and reveal nothing. */
export const KEY_MARK_LENGTH = FORMAT.length + KEY_NAME_LENGTH + 2;

/** Encrypts secrets at rest: the store alone, without the key, reveals none of them. */
export interface Sealer {
  seal(text: string): string;
  open(sealed: string): string;
  /** Whether the key of a sealed secret is here. The mark at its beginning is enough to tell. */
  hasKeyOf(sealed: string): boolean;
  /** Seals again with the newest key; undefined if the secret is sealed with it already. */
  reseal(sealed: string): string | undefined;
  /** Signs a text with the newest key, for another holder of it. */
  sign(text: string): string;
  /** Whether a holder of one of the keys has signed the text. */
  isSigned(text: string, signature: string): boolean;
}

/** Identifies a key without revealing it. */
function nameOf(key: Buffer): string {
  return createHash('sha256').update('steward key name').update(key).digest('base64url').slice(0, KEY_NAME_LENGTH);
}

/** A key for signatures is made from the key for secrets, so that no key has two uses. */
function signatureOf(key: Buffer, text: string): Buffer {
  const signingKey = createHash('sha256').update('steward signing key').update(key).digest();
  return createHmac('sha256', signingKey).update(text).digest();
}

/** Creates a sealer. The first key seals, every key opens: to rotate, put the new key before the old ones. */
export function createSealer(keys: readonly Buffer[]): Sealer {
  const named = new Map(keys.map((key) => [nameOf(key), key]));
  const [newest] = named;
  if (newest === undefined) throw new Error('there is no key to seal with');
  const [newestName, newestKey] = newest;

  function seal(text: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, newestKey, nonce);
    const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return `${FORMAT}.${newestName}.${sealed.toString('base64url')}`;
  }

  function open(sealed: string): string {
    const [, name = '', content = ''] = sealed.split('.');
    const key = named.get(name);
    if (key === undefined) {
      throw new StewardError(
        'unavailable',
        `A secret was encrypted with the master key ${name}, which this server does not have. Add that key to STEWARD_MASTER_KEY_FILE as another line.`,
      );
    }
    const bytes = Buffer.from(content, 'base64url');
    const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES));
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]).toString('utf8');
  }

  return {
    seal,
    open,
    hasKeyOf: (sealed) => named.has(sealed.split('.')[1] ?? ''),
    reseal: (sealed) => (sealed.split('.')[1] === newestName ? undefined : seal(open(sealed))),
    sign: (text) => `${newestName}.${signatureOf(newestKey, text).toString('base64url')}`,
    isSigned(text, signature) {
      const [name = '', content = ''] = signature.split('.');
      const key = named.get(name);
      const given = Buffer.from(content, 'base64url');
      const right = key && signatureOf(key, text);
      return right !== undefined && given.length === right.length && timingSafeEqual(given, right);
    },
  };
}

import { randomBytes } from 'node:crypto';
import { DAY } from '../../foundation/clock.ts';
import { isObject, parseJson } from '../../foundation/schema/json.ts';
import type { Sealer } from '../../foundation/sealer.ts';
import { signingKey } from '../../model/webhookSignature.ts';

/** The part of a webhook that is stored encrypted: its signing keys, newest first, and its custom headers. */
export interface Secrets {
  readonly keys: readonly SigningSecret[];
  readonly headers: Readonly<Record<string, string>>;
}

export interface SigningSecret {
  readonly secret: string;
  /** Only for older keys, which sign beside the newest until this time. */
  readonly until?: number;
}

const OVERLAP_MS = DAY;
const MAX_OLDER_KEYS = 5;

export function newSigningSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

export function sealSecrets(sealer: Sealer, secrets: Secrets): string {
  return sealer.seal(JSON.stringify(secrets));
}

function isSigningSecret(value: unknown): value is SigningSecret {
  if (!isObject(value) || typeof value['secret'] !== 'string') return false;
  return value['until'] === undefined || typeof value['until'] === 'number';
}

function isHeaders(value: unknown): value is Secrets['headers'] {
  return isObject(value) && Object.values(value).every((header) => typeof header === 'string');
}

/** Decrypts the secrets of a webhook. Throws when their master key is missing or the content is damaged. */
export function unsealSecrets(sealer: Sealer, sealed: string): Secrets {
  const content = parseJson(sealer.open(sealed));
  const { keys, headers } = isObject(content) ? content : {};
  if (!Array.isArray(keys) || !keys.every(isSigningSecret) || !isHeaders(headers))
    throw new Error('the secrets of a webhook are damaged');
  return { keys, headers };
}

/** Adds a key that signs from now on. The previous keys sign for one more day, so that a receiver can switch without a gap. */
export function rotateKey({ keys, headers }: Secrets, secret: string, now: number): Secrets {
  const [newest, ...older] = keys;
  const previous = newest === undefined ? [] : [{ secret: newest.secret, until: now + OVERLAP_MS }, ...older];
  const valid = previous.filter(({ until }) => until === undefined || until > now).slice(0, MAX_OLDER_KEYS);
  return { keys: [{ secret }, ...valid], headers };
}

export function signingKeysOf({ keys, headers }: Secrets) {
  const imported = keys.map(({ secret, until = Number.POSITIVE_INFINITY }) => ({ key: signingKey(secret), until }));
  return { keys: imported, headers };
}

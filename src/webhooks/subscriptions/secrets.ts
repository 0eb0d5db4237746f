import type { KeyObject } from 'node:crypto';
import { randomBytes } from 'node:crypto';
import { DAY } from '../../foundation/clock.ts';
import type { Sealer } from '../../foundation/sealer.ts';
import { signingKey } from '../../model/webhookSignature.ts';

/** What a webhook keeps sealed: its signing keys, newest first, and the headers its receiver asks for. */
export interface Secrets {
  readonly keys: readonly SigningSecret[];
  readonly headers: Readonly<Record<string, string>>;
}

export interface SigningSecret {
  readonly secret: string;
  /** An older one signs beside the newest until then. */
  readonly until?: number;
}

const OVERLAP_MS = DAY;
const OLDER_AT_MOST = 5;

export function newSigningSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

export function sealSecrets(sealer: Sealer, secrets: Secrets): string {
  return sealer.seal(JSON.stringify(secrets));
}

export function openSecrets(sealer: Sealer, sealed: string): Secrets {
  return JSON.parse(sealer.open(sealed)) as Secrets;
}

/** The new key signs at once; those before it go on for a day, so that a receiver can be changed without a gap. */
export function rotated({ keys, headers }: Secrets, secret: string, now: number): Secrets {
  const [newest, ...older] = keys;
  const kept = newest === undefined ? [] : [{ secret: newest.secret, until: now + OVERLAP_MS }, ...older];
  const living = kept.filter(({ until }) => until === undefined || until > now).slice(0, OLDER_AT_MOST);
  return { keys: [{ secret }, ...living], headers };
}

export interface SigningKeys {
  readonly keys: readonly { readonly key: KeyObject; readonly until: number }[];
  readonly headers: Readonly<Record<string, string>>;
}

export function signingKeysOf({ keys, headers }: Secrets): SigningKeys {
  return {
    keys: keys.map(({ secret, until = Number.POSITIVE_INFINITY }) => ({ key: signingKey(secret), until })),
    headers,
  };
}

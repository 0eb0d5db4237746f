import { createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { StewardError, reasonOf } from '../../foundation/errors.ts';
import type { Settings } from '../settings/settings.ts';

/** Reads the public half of an Ed25519 key, in PEM, from the file that a setting names. */
export function readPublicKey(file: string | undefined, variable: string): string | undefined {
  if (file === undefined) return undefined;
  try {
    const pem = readFileSync(file, 'utf8');
    if (pem.includes('PUBLIC KEY') && createPublicKey(pem).asymmetricKeyType === 'ed25519') return pem;
  } catch {
    // The error below does not quote the file, which may be a private key.
  }
  throw new StewardError('invalid', `${variable} must name a file with the public half of an Ed25519 key, in PEM.`);
}

/** Reads the certificate and its key; undefined for plain HTTP. */
export function readTls({ tlsCert, tlsKey }: Settings): { readonly cert: string; readonly key: string } | undefined {
  if (tlsCert === undefined || tlsKey === undefined) return undefined;
  try {
    const pair = { cert: readFileSync(tlsCert, 'utf8'), key: readFileSync(tlsKey, 'utf8') };
    createSecureContext(pair);
    return pair;
  } catch (error) {
    throw new StewardError('invalid', `The certificate and its key cannot be used: ${reasonOf(error)}`);
  }
}

/** Reads the certificate authorities of receivers; undefined if only the public ones are trusted. */
export function readWebhookCa({ webhookCa }: Settings): string | undefined {
  try {
    return webhookCa === undefined ? undefined : readFileSync(webhookCa, 'utf8');
  } catch (error) {
    throw new StewardError('invalid', `STEWARD_WEBHOOK_CA cannot be read: ${reasonOf(error)}`);
  }
}

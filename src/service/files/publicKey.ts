import { createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { StewardError } from '../../foundation/errors.ts';

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

import type { KeyObject } from 'node:crypto';
import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import { StewardError } from '../../foundation/errors.ts';
import type { Manifest, ManifestEnvelope } from './manifest.ts';
import { signedText } from './manifest.ts';
import type { Version } from '../version.ts';

/** A key pair in PEM: PKCS8 and SPKI. */
export interface ManifestKeys {
  readonly privateKey: string;
  readonly publicKey: string;
}

type Half = 'private' | 'public';

const OTHER = { private: 'public', public: 'private' } as const satisfies Record<Half, Half>;

export function newManifestKeys(): ManifestKeys {
  return generateKeyPairSync('ed25519', {
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
}

function isHalf(pem: string, half: Half): boolean {
  return pem.includes(`-----BEGIN ${half.toUpperCase()} KEY-----`);
}

/** Checks the PEM label first, because Node accepts a private key for a public one. Errors have no cause, which could show the key. */
function keyOf(pem: string, half: Half): KeyObject {
  const wanted = `the ${half} half of an Ed25519 key, in PEM`;
  if (isHalf(pem, OTHER[half]) && !isHalf(pem, half))
    throw new StewardError('invalid', `The key is the ${OTHER[half]} half of a key pair. It must be ${wanted}.`);
  if (pem.includes('-----BEGIN ENCRYPTED PRIVATE KEY-----'))
    throw new StewardError('invalid', 'The key is protected by a passphrase. Remove the passphrase to sign with it.');
  let key: KeyObject | undefined;
  try {
    if (isHalf(pem, half)) key = half === 'private' ? createPrivateKey(pem) : createPublicKey(pem);
  } catch {
    key = undefined;
  }
  if (key?.asymmetricKeyType !== 'ed25519') throw new StewardError('invalid', `The key must be ${wanted}.`);
  return key;
}

/** Signs a manifest. The signature also protects the checksums of the images. */
export function signManifest(
  privateKeyPem: string,
  versions: readonly Version[],
  envelope: ManifestEnvelope = {},
): Manifest {
  const bytes = Buffer.from(signedText({ ...envelope, versions }), 'utf8');
  return { ...envelope, versions, signature: sign(null, bytes, keyOf(privateKeyPem, 'private')).toString('base64') };
}

export function isSignedBy(publicKeyPem: string, manifest: Manifest): boolean {
  const key = keyOf(publicKeyPem, 'public');
  if (manifest.signature === undefined) return false;
  return verify(null, Buffer.from(signedText(manifest), 'utf8'), key, Buffer.from(manifest.signature, 'base64'));
}

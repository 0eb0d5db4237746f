import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { testVersion } from '../../../test/support/upgrades/testVersion.ts';
import { StewardError } from '../../foundation/errors.ts';
import { manifestText, readManifest } from './manifest.ts';
import { isSignedBy, newManifestKeys, signManifest } from './signature.ts';
import type { Version } from '../version.ts';

const VERSION = testVersion('rel_11.0.1234', {
  name: 'Eleven – für alle',
  build: '1234',
  released: 1_793_750_400_000,
  containers: [{ name: 'web', checksum: `sha256:${'ab'.repeat(32)}`, image: 'registry.example/web:11.0' }],
});
const keys = newManifestKeys();
const signed = signManifest(keys.privateKey, [VERSION]);

function errorOf(act: () => unknown): StewardError {
  try {
    act();
  } catch (error) {
    if (error instanceof StewardError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('[UPG4] a signature', () => {
  test('a signature still fits after the manifest was written and read', () => {
    const read = readManifest(manifestText(signed));
    expect(read.kind === 'valid' && isSignedBy(keys.publicKey, read.manifest)).toBe(true);
    expect(signManifest(keys.privateKey, [VERSION])).toEqual(signed);
  });

  test('a signature equals the one that openssl makes of the canonical bytes', () => {
    // The key is from the first test of RFC 8032; the bytes were written with Python and signed with openssl pkeyutl -sign -rawin.
    const privateKey =
      '-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n-----END PRIVATE KEY-----\n';
    expect(signManifest(privateKey, [VERSION]).signature).toBe(
      'Zk6LhF2QC/o/kHuU08h/WPEPRN2cfK4CwkCtivlRmEMU0YGVgnOB0TVS8yKx28m4VJ1E1VriNcRExQuuAbVMDw==',
    );
  });

  test('a signature covers the product and the unknown fields of a manifest', () => {
    const whole = signManifest(keys.privateKey, [VERSION], { product: 'Atlas', others: { zone: 1 } });
    expect(isSignedBy(keys.publicKey, whole)).toBe(true);
    const { product: _product, ...withoutProduct } = whole;
    const { others: _others, ...withoutOthers } = whole;
    for (const changed of [
      withoutProduct,
      withoutOthers,
      { ...whole, product: 'Other' },
      { ...whole, others: { zone: 2 } },
    ])
      expect(isSignedBy(keys.publicKey, changed)).toBe(false);
    const more: Version = Object.assign({ ...VERSION }, { extra: 1 });
    expect(isSignedBy(keys.publicKey, { ...signed, versions: [more] })).toBe(false);
    expect(isSignedBy(keys.publicKey, signManifest(keys.privateKey, [more]))).toBe(true);
  });

  test('a signature does not fit another key or a changed manifest', () => {
    expect(isSignedBy(newManifestKeys().publicKey, signed)).toBe(false);
    expect(isSignedBy(keys.publicKey, { versions: signed.versions, signature: undefined })).toBe(false);
    const [container] = VERSION.containers;
    const changes: readonly Partial<Version>[] = [
      { id: 'rel_11.0.1235' },
      { name: '' },
      { description: 'x' },
      { update: 'patch' },
      { version: '11.1' },
      { build: '1' },
      { previousVersion: '10.9' },
      { previousBuild: '1' },
      { released: 0 },
      { releaseNotes: 'x' },
      { newLicensesRequired: true },
      { containers: [] },
      ...(container === undefined
        ? []
        : [
            { containers: [{ ...container, name: 'x' }] },
            { containers: [{ ...container, checksum: `sha256:${'cd'.repeat(32)}` }] },
            { containers: [{ ...container, image: 'x' }] },
          ]),
    ];
    for (const change of changes)
      expect(isSignedBy(keys.publicKey, { ...signed, versions: [{ ...VERSION, ...change }] })).toBe(false);
    expect(changes.length).toBe(Object.keys(VERSION).length + 3);
    expect(isSignedBy(keys.publicKey, { ...signed, versions: [VERSION, VERSION] })).toBe(false);
  });
});

describe('[UPG4] a key', () => {
  const encrypted = generateKeyPairSync('ed25519', {
    privateKeyEncoding: { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  }).privateKey;
  const curve = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const broken = keys.privateKey.replace(/\n.{10}/, '\n');

  test('a key pair is in PEM', () => {
    expect(keys.privateKey).toMatch(/^-----BEGIN PRIVATE KEY-----\n/);
    expect(keys.publicKey).toMatch(/^-----BEGIN PUBLIC KEY-----\n/);
  });

  test.each([
    ['the public half', keys.publicKey, 'is the public half of a key pair'],
    ['another kind', curve.privateKey, 'must be the private half of an Ed25519 key'],
    ['a protected one', encrypted, 'is protected by a passphrase'],
    ['a broken one', broken, 'must be the private half of an Ed25519 key'],
    ['nothing', '', 'must be the private half of an Ed25519 key'],
  ])('signing with %s is refused', (_what, key, problem) => {
    const error = errorOf(() => signManifest(key, [VERSION]));
    expect(error.message).toContain(problem);
    expect(error.cause).toBeUndefined();
  });

  test.each([
    ['the private half', keys.privateKey, 'is the private half of a key pair'],
    ['another kind', curve.publicKey, 'must be the public half of an Ed25519 key'],
    ['nothing', '', 'must be the public half of an Ed25519 key'],
  ])('verifying with %s is refused', (_what, key, problem) => {
    expect(errorOf(() => isSignedBy(key, signed)).message).toContain(problem);
    // Reported also for a manifest without a signature: a wrong key is not the sender's mistake.
    expect(errorOf(() => isSignedBy(key, { ...signed, signature: undefined })).message).toContain(problem);
  });
});

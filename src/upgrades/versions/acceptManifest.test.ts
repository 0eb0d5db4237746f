import { describe, expect, test } from 'vitest';
import { testVersion } from '../../../test/support/upgrades/testVersion.ts';
import { manifestText } from '../../model/manifest/manifest.ts';
import { newManifestKeys, signManifest } from '../../model/manifest/signature.ts';
import { acceptManifest } from './acceptManifest.ts';

const VERSION = testVersion('rel_11.0.1234', {
  name: 'Eleven',
  build: '1234',
  released: 1_793_750_400_000,
  containers: [{ name: 'web', checksum: `sha256:${'ab'.repeat(32)}`, image: 'registry.example/web:11.0' }],
});
const keys = newManifestKeys();
const signed = manifestText(signManifest(keys.privateKey, [VERSION]));
const unsigned = manifestText({ versions: [VERSION], signature: undefined });
const problemsOf = (text: string, key?: string): readonly string[] => {
  const decision = acceptManifest(text, key);
  return decision.kind === 'refused' ? decision.problems : [];
};

describe('[UPG4] a manifest', () => {
  test.each([
    ['without a key', unsigned, undefined],
    ['without a key, although it is signed', signed, undefined],
    ['with the key that signed it', signed, keys.publicKey],
  ])('is accepted %s', (_name, text, key) => {
    expect(acceptManifest(text, key)).toMatchObject({ kind: 'accepted', manifest: { versions: [VERSION] } });
  });

  test('that is not signed is refused if there is a key', () => {
    expect(problemsOf(unsigned, keys.publicKey)).toEqual(['is not signed; sign it with steward manifest sign']);
  });

  test('that another key signed, or that was changed, is refused', () => {
    const other = ['is not signed by the key in STEWARD_MANIFEST_KEY'];
    expect(problemsOf(signed, newManifestKeys().publicKey)).toEqual(other);
    expect(problemsOf(signed.replace('Eleven', 'Twelve'), keys.publicKey)).toEqual(other);
  });

  test('that cannot be read is refused with its problems, whether or not there is a key', () => {
    expect(problemsOf('{}')).not.toEqual([]);
    expect(problemsOf('{}', keys.publicKey)).toEqual(problemsOf('{}'));
  });
});

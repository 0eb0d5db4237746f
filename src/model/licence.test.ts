import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { licenceProblems, needsLicence, signedPart } from './licence.ts';
import type { Version } from './version.ts';

const ELEVEN = { version: '11.0', update: 'release', newLicensesRequired: false } as Version;
const NOW = Date.UTC(2026, 0, 1);
const keys = generateKeyPairSync('ed25519', {
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});

const problems = (licence: unknown, key?: string): readonly string[] =>
  licenceProblems(typeof licence === 'string' ? licence : JSON.stringify(licence), ELEVEN, NOW, key);

describe('[UPG8] [DEC47] a licence', () => {
  test('a licence is needed from 10.9.1 to 11.0, and if the version says so', () => {
    expect(needsLicence(ELEVEN, { version: '10.9.1', build: '1' })).toBe(true);
    expect(needsLicence(ELEVEN, { version: '10.9', build: '1' })).toBe(false);
    expect(needsLicence({ ...ELEVEN, update: 'patch' }, { version: '10.9.1', build: '1' })).toBe(false);
    expect(needsLicence({ ...ELEVEN, version: '11.1' }, { version: '11.0', build: '1' })).toBe(false);
    expect(needsLicence({ ...ELEVEN, version: '11.1', newLicensesRequired: true }, undefined)).toBe(true);
  });

  test('a licence is a JSON object whose product, version and expiry are valid or absent', () => {
    expect(problems({})).toEqual([]);
    expect(problems({ product: 'Product', version: '11.0', expires: NOW + 1 })).toEqual([]);
    expect(problems('\ufeff{"version":"11","expires":"2026-06-01"}')).toEqual([]);
    expect(problems({ product: 'Other', version: '10.9', expires: NOW })).toEqual([
      'its product must be "Product", it is "Other"',
      'its version must be "11.0", it is "10.9"',
      'it expired on 2026-01-01T00:00:00.000Z',
    ]);
    expect(problems({ expires: 'soon' })).toEqual(['its expires must be a time in milliseconds or an ISO date']);
    expect(problems({ version: 11 })).toEqual(['its version must be "11.0", it is 11']);
    expect(problems({ expires: -1e20 })).toEqual(['its expires must be a time in milliseconds or an ISO date']);
    expect(problems({ product: 'x'.repeat(1e6) })[0]?.length).toBeLessThan(200);
    expect(problems(`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`)).toEqual(['must be a JSON object']);
    for (const none of ['', '[]', 'x', 'null', '"x"']) expect(problems(none)).toEqual(['must be a JSON object']);
  });

  test('a licence must be signed if a key is configured, however its JSON is formatted', () => {
    const licence = { version: '11.0', more: { b: [1, { d: 1, c: 2 }], a: 'ü' } };
    const signature = sign(null, signedPart(licence), keys.privateKey).toString('base64');
    const text = JSON.stringify({ more: { a: 'ü', b: [1, { c: 2, d: 1 }] }, signature, version: '11.0' }, null, 4);
    expect(problems(text, keys.publicKey)).toEqual([]);
    const wrong = ['its signature is not that of the key in STEWARD_LICENCE_KEY'];
    expect(problems(licence, keys.publicKey)).toEqual(wrong);
    expect(problems({ ...licence, version: '11', signature }, keys.publicKey)).toEqual(wrong);
    expect(problems({ ...licence, signature: 7 }, keys.publicKey)).toEqual(wrong);
    expect(problems({ ...licence, signature: 'AA==' }, keys.publicKey)).toEqual(wrong);
  });
});

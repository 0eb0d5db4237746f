import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { LicenceScope } from './licence.ts';
import { licenceHash, needsLicence, readLicence, signedPart, verifiedLicence } from './licence.ts';
import type { Version } from './version.ts';

const ELEVEN = { version: '11.0', update: 'release', newLicensesRequired: false } as Version;
const NOW = Date.UTC(2026, 0, 1);
const keys = generateKeyPairSync('ed25519', {
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});

const SCOPE: LicenceScope = { product: 'Product', version: '11.0', now: NOW, publicKey: undefined };

const problems = (licence: unknown, publicKey?: string, more: Partial<LicenceScope> = {}): readonly string[] => {
  const text = typeof licence === 'string' ? licence : JSON.stringify(licence);
  const read = readLicence(text, { ...SCOPE, publicKey, ...more });
  return read.kind === 'valid' ? [] : read.problems;
};

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
      'its field `product` must be "Product", not "Other"',
      'its field `version` must be "11.0", not "10.9"',
      'the licence expired on 2026-01-01T00:00:00.000Z',
    ]);
    expect(problems({ expires: 'soon' })).toEqual([
      'its field `expires` must be a time in milliseconds or an ISO date such as 2027-12-31',
    ]);
    expect(problems({ version: 11 })).toEqual(['its field `version` must be "11.0", not 11']);
    expect(problems({ expires: -1e20 })).toEqual([
      'its field `expires` must be a time in milliseconds or an ISO date such as 2027-12-31',
    ]);
    expect(problems({ product: 'x'.repeat(1e6) })[0]?.length).toBeLessThan(200);
    expect(problems(`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`)).toEqual(['must be a JSON object']);
    for (const none of ['', '[]', 'x', 'null', '"x"']) expect(problems(none)).toEqual(['must be a JSON object']);
  });

  test('a licence must be signed if a key is configured, however its JSON is formatted', () => {
    const licence = { version: '11.0', more: { b: [1, { d: 1, c: 2 }], a: 'ü' } };
    const signature = sign(null, signedPart(licence), keys.privateKey).toString('base64');
    const text = JSON.stringify({ more: { a: 'ü', b: [1, { c: 2, d: 1 }] }, signature, version: '11.0' }, null, 4);
    expect(problems(text, keys.publicKey)).toEqual([]);
    const wrong = ['the licence is not signed by the key in STEWARD_LICENCE_KEY'];
    expect(problems(licence, keys.publicKey)).toEqual(wrong);
    expect(problems({ ...licence, version: '11', signature }, keys.publicKey)).toEqual(wrong);
    expect(problems({ ...licence, signature: 7 }, keys.publicKey)).toEqual(wrong);
    expect(problems({ ...licence, signature: 'AA==' }, keys.publicKey)).toEqual(wrong);
  });

  test('a date as the expiry includes its day, in UTC, and a time does not', () => {
    const at = (hour: number, minute: number): Partial<LicenceScope> => ({ now: Date.UTC(2026, 0, 1, hour, minute) });
    const expired = ['the licence expired at the end of 2026-01-01 (UTC)'];
    expect(problems({ expires: '2026-01-01' }, undefined, at(0, 0))).toEqual([]);
    expect(problems({ expires: '2026-01-01' }, undefined, at(23, 59))).toEqual([]);
    expect(problems({ expires: '2026-01-01' }, undefined, at(24, 0))).toEqual(expired);
    expect(problems({ expires: '2026-01-01T12:00:00Z' }, undefined, at(11, 59))).toEqual([]);
    expect(problems({ expires: '2026-01-01T12:00:00Z' }, undefined, at(12, 0))).toEqual([
      'the licence expired on 2026-01-01T12:00:00.000Z',
    ]);
    for (const expires of ['2026-02-31', '2027', 'Dec 31, 2027', '2027-12-31 12:00'])
      expect(problems({ expires })[0]).toContain('ISO date');
  });

  test('the product of the licence is that of the manifest', () => {
    expect(problems({ product: 'Atlas' }, undefined, { product: 'Atlas' })).toEqual([]);
    expect(problems({ product: 'Product' }, undefined, { product: 'Atlas' })).toEqual([
      'its field `product` must be "Atlas", not "Product"',
    ]);
  });

  test('a licence with a key twice is refused, although the last value is signed', () => {
    const licence = { seats: 10 };
    const signature = sign(null, signedPart(licence), keys.privateKey).toString('base64');
    const text = `{"seats":9999,"seats":10,"signature":${JSON.stringify(signature)}}`;
    expect(problems(text, keys.publicKey)).toEqual(['has the key "seats" more than once']);
    expect(problems('{"a":[{"b":1,"b":1}]}')).toEqual(['has the key "b" more than once']);
  });

  test('[REQ9] a licence with more keys than any licence has is refused before it is parsed', () => {
    const licence = Object.fromEntries(Array.from({ length: 1001 }, (_, n) => [`k${n}`, 1]));
    expect(problems(licence)).toEqual(['must have at most 1000 different keys']);
  });

  test('the content that was verified is passed on, and no other text of the upload', () => {
    const read = readLicence('\ufeff{ "seats": 9007199254740993, "a": "\\u00fc" }', SCOPE);
    const content = '{"seats":9007199254740992,"a":"ü"}';
    expect(read).toEqual({ kind: 'valid', content });
    expect(verifiedLicence(' {"seats":9007199254740992, "a":"ü"}', licenceHash(content))).toBe(content);
    expect(verifiedLicence('{"seats":1}', licenceHash(content))).toBeUndefined();
    expect(verifiedLicence('{"seats":1,"seats":9007199254740992,"a":"ü"}', licenceHash(content))).toBeUndefined();
  });
});

import { describe, expect, test } from 'vitest';
import { readClusterNamespace, readNames, readRegistries, readRewrites } from './settingReaders.ts';

describe('[UPG18] the settings of the Kubernetes driver', () => {
  test.each([
    ['shop', true],
    ['a', true],
    ['a'.repeat(63), true],
    ['a'.repeat(64), false],
    ['Shop', false],
    ['-shop', false],
    ['shop-', false],
    ['shop.eu', false],
    ['', false],
  ])('the namespace %j is valid: %j', (given, isValid) => {
    expect(readClusterNamespace(given).kind).toBe(isValid ? 'valid' : 'invalid');
  });

  test('names are separated by commas, and have no spaces', () => {
    expect(readNames(' one, two ,,')).toEqual({ kind: 'valid', value: ['one', 'two'] });
    expect(readNames('')).toEqual({ kind: 'valid', value: [] });
    expect(readNames('one two')).toMatchObject({ kind: 'invalid' });
  });

  test('registries are hosts with an optional port, and each wrong one is named', () => {
    expect(readRegistries('mirror.local:5000, R.example')).toEqual({
      kind: 'valid',
      value: ['mirror.local:5000', 'R.example'],
    });
    const problem = expect.stringMatching(/invalid: http:\/\/r\.example, r\.example\/acme, r:x$/);
    expect(readRegistries('http://r.example,ok,r.example/acme,r:x')).toEqual({ kind: 'invalid', problem });
  });

  test('rewrites are pairs, and a slash at the end does not count', () => {
    expect(readRewrites('r.example/acme/=mirror.local:5000/acme/, a=b')).toEqual({
      kind: 'valid',
      value: [
        { from: 'r.example/acme', to: 'mirror.local:5000/acme' },
        { from: 'a', to: 'b' },
      ],
    });
    expect(readRewrites('')).toEqual({ kind: 'valid', value: [] });
  });

  test.each(['r.example', '=b', 'a=', 'a=b=c', 'a@sha256:12=b', 'a b=c'])('the rewrite %j is refused', (given) => {
    expect(readRewrites(given)).toMatchObject({ kind: 'invalid', problem: expect.stringContaining(given) });
  });
});

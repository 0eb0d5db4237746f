import { describe, expect, test } from 'vitest';
import {
  prefixProblem,
  readClusterNamespace,
  readKinds,
  readNames,
  readPublicUrl,
  readRegistries,
  readRewrites,
} from './settingReaders.ts';

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

  test('[OBJ2] kinds begin with a capital letter, and may have a group', () => {
    const value = ['CustomResourceDefinition', 'Widget.example.com'];
    expect(readKinds(value.join(', '))).toEqual({ kind: 'valid', value });
    const grouped = 'ClusterRole.rbac.authorization.k8s.io,Deployment.apps';
    expect(readKinds(grouped)).toEqual({ kind: 'valid', value: ['ClusterRole', 'Deployment'] });
    expect(readKinds('')).toEqual({ kind: 'valid', value: [] });
    for (const wrong of [
      'clusterrole',
      'ClusterRole/x',
      'Widget.',
      '*',
      'Cluster Role',
      'rbac.authorization.k8s.io/v1',
    ])
      expect(readKinds(`ClusterRole,${wrong}`)).toMatchObject({ kind: 'invalid' });
  });

  test('[K5] a manager may be named as the plan shows it', () => {
    expect(readNames('Argo CD,keel')).toEqual({ kind: 'valid', value: ['Argo CD', 'keel'] });
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

describe('[ADR1] the public address', () => {
  test.each([
    ['https://steward.example', 'https://steward.example'],
    ['https://steward.example/', 'https://steward.example'],
    ['HTTPS://Steward.Example:443/Apps/steward//', 'https://steward.example/Apps/steward'],
    ['http://10.0.0.1:8080/steward/', 'http://10.0.0.1:8080/steward'],
  ])('%s is published as %s', (given, value) => {
    expect(readPublicUrl(given)).toEqual({ kind: 'valid', value });
  });

  test.each([
    'steward.example',
    'ftp://steward.example',
    'https://steward.example/?a=b',
    'https://steward.example/#a',
    'https://user:secret@steward.example',
    'https://steward.example//steward',
    'https://steward.example/my%20steward',
    'https://steward.example/a;b',
  ])('%s is refused', (given) => {
    expect(readPublicUrl(given).kind).toBe('invalid');
  });

  test.each(['/admin', '/manage/steward', '/services', '/console/x', '/system', '/metrics', '/openapi.json'])(
    'its path must not begin as an address of Steward does: %s',
    (path) => {
      expect(prefixProblem(`https://host.example${path}`, path.startsWith('/manage') ? '/manage' : '/admin')).toMatch(
        /must not begin with an address of Steward itself \(.*\/console.*\), not "\/.+"/,
      );
    },
  );

  test('another path is allowed, also if an address of Steward is a part of it', () => {
    for (const path of ['', '/steward', '/administration', '/apps/admin', '/services2'])
      expect(prefixProblem(`https://host.example${path}`, '/admin')).toBeUndefined();
  });
});

import { load } from 'js-yaml';
import { describe, expect, test } from 'vitest';
import { fakeClusterApi } from '../../../../test/support/kubernetes/fakeClusterApi.ts';
import { GROUPS } from '../api/resources.ts';
import { NODES, RIGHTS, checkRights, roleOf } from './rights.ts';

describe('[UPG10] the rights in a constructed namespace', () => {
  test('the Role of all rights is valid YAML with every verb', () => {
    expect(load(roleOf(RIGHTS, 'shop'))).toEqual({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: { name: 'steward', namespace: 'shop' },
      rules: RIGHTS.map(({ group, resource, verbs }) => ({ apiGroups: [group], resources: [resource], verbs })),
    });
  });

  test('[C5] the driver knows the kind of every right, so that it can send what the right allows', () => {
    const known = new Set(Object.values(GROUPS).map(({ group, plural }) => `${group}/${plural}`));
    const needed = [...RIGHTS, NODES].map(({ group, resource }) => `${group}/${resource.replace(/\/.*/, '')}`);
    expect(needed.filter((one) => !known.has(one))).toEqual([]);
  });

  test('an account with all rights passes', async () => {
    expect(await checkRights(fakeClusterApi().api)).toMatchObject({ name: 'rights', verdict: 'pass', todo: '' });
  });

  test('[C5] without optional rights only, the check warns, says what is left out, and shows the rules to add', async () => {
    const { api } = fakeClusterApi({ mayI: ({ resource }) => resource !== 'events' && resource !== 'resourcequotas' });
    const { verdict, text, todo } = await checkRights(api);
    expect([verdict, text]).toEqual(['warn', expect.stringContaining('list resourcequotas; list, create events.')]);
    expect(text).toContain('the check `quota` is not made');
    expect(load(todo.slice(todo.indexOf('- apiGroups')))).toHaveLength(2);
  });

  test('all rights that are missing are named at once, with the whole Role', async () => {
    const { api } = fakeClusterApi({
      mayI: ({ verb, resource, subresource }) =>
        !(resource === 'deployments' && verb === 'patch') && !(resource === 'pods' && subresource === 'log'),
    });
    const { verdict, text, todo } = await checkRights(api);
    expect(verdict).toBe('fail');
    expect(text).toContain('patch deployments; get pods/log');
    expect(load(todo.slice(todo.indexOf('apiVersion:')))).toMatchObject({
      metadata: { namespace: 'shop' },
      rules: RIGHTS.map(({ group, resource, verbs }) => ({ apiGroups: [group], resources: [resource], verbs })),
    });
  });
});

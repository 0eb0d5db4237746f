import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { ClusterObject } from '../../src/drivers/kubernetes/api/clusterApi.ts';
import { listAt, textAt } from '../../src/drivers/kubernetes/api/objectFields.ts';
import { RIGHTS } from '../../src/drivers/kubernetes/preflight/rights.ts';
import { LABELS } from '../../src/drivers/kubernetes/workloads/labels.ts';
import { valueAt } from '../../src/foundation/schema/json.ts';
import { SETTINGS, variableOf } from '../../src/service/settings/settings.ts';
import { VERSION } from '../../src/service/version.ts';
import { deployObjects, deployVariant } from '../support/cluster/deploy/variant.ts';
import { roleObject } from '../support/cluster/serviceAccount.ts';
import { PROJECT } from '../support/run/project.ts';

function read(file: string): string {
  return readFileSync(join(PROJECT, 'deploy', file), 'utf8');
}

function objectOf(text: string, kind: string, name = 'steward'): ClusterObject | undefined {
  return deployObjects(text).find((one) => one.kind === kind && one.metadata.name === name);
}

function podsOf(text: string): readonly unknown[] {
  return deployObjects(text).flatMap(({ spec }) => valueAt(spec, 'template', 'spec') ?? []);
}

test('the files of deploy/ and the pages name the version of this package', () => {
  const pages = ['kubernetes.md', 'operations.md', 'tour.md'].map((page) => `../docs/${page}`);
  const named = ['Dockerfile', 'steward.yaml', 'steward-postgres.yaml', ...pages].flatMap((file) =>
    [...read(file).matchAll(/steward[:-](\d+\.\d+\.\d+)|Steward (\d+\.\d+\.\d+) is ready/g)].map(
      ([, image, started]) => `${file} ${image ?? started}`,
    ),
  );
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((one) => !one.endsWith(` ${VERSION}`))).toEqual([]);
});

describe.each(['steward.yaml', 'steward-postgres.yaml'])('deploy/%s', (file) => {
  const text = read(file);

  test('[UPG18] its Role has exactly the rights that the plan asks for', () => {
    expect(objectOf(text, 'Role')).toEqual(roleObject(RIGHTS));
  });

  test('its Deployment is upgraded by Steward, last', () => {
    expect(objectOf(text, 'Deployment')?.metadata.labels).toMatchObject({
      'steward/upgrade': 'true',
      [LABELS.self]: 'true',
    });
  });

  test('every Service, budget and network policy selects pods of the file, by labels and port names that they have', () => {
    const pods = deployObjects(text).flatMap(({ spec }) => valueAt(spec, 'template') ?? []);
    const selected = deployObjects(text).filter(({ kind = '' }) => /Service$|Budget$|Policy$/.test(kind));
    expect(selected.length).toBeGreaterThan(2);
    for (const { kind, spec } of selected) {
      const labels =
        valueAt(spec, 'selector', 'matchLabels') ??
        valueAt(spec, 'podSelector', 'matchLabels') ??
        valueAt(spec, 'selector');
      const pod = pods.find((one) => isDeepStrictEqual(valueAt(one, 'metadata', 'labels'), labels));
      const ports = listAt(pod, 'spec', 'containers').flatMap((one) => listAt(one, 'ports'));
      const names = ports.map((one) => textAt(one, 'name'));
      const used =
        kind === 'Service' ? listAt(spec, 'ports') : listAt(spec, 'ingress').flatMap((one) => listAt(one, 'ports'));
      expect(pod).toBeDefined();
      for (const one of used) expect(names).toContain(textAt(one, kind === 'Service' ? 'targetPort' : 'port'));
    }
  });

  test('no object has a namespace or a secret value', () => {
    const objects = deployObjects(text);
    expect(objects.filter(({ metadata }) => metadata.namespace !== undefined)).toEqual([]);
    expect(objects.filter(({ kind }) => kind === 'Secret')).toEqual([]);
  });

  test('every variable of Steward is a setting, and every key of a Secret is created by a command at the head', () => {
    const known = new Set(Object.keys(SETTINGS).map(variableOf));
    const container = listAt(valueAt(objectOf(text, 'Deployment')?.spec, 'template', 'spec'), 'containers')[0];
    const names = listAt(container, 'env').map((one) => textAt(one, 'name'));
    expect(names.filter((name) => name.startsWith('STEWARD_') && !known.has(name))).toEqual([]);
    const keys = podsOf(text).flatMap((pod) => [...JSON.stringify(pod).matchAll(/"key":"([^"]+)"/g)]);
    expect(keys.length).toBeGreaterThan(1);
    for (const [, key] of keys) expect(text).toContain(`#     --from-literal=${key}=`);
  });

  test('every pod meets the restricted pod security standard, with a read-only root, probes and limits', () => {
    const pods = podsOf(text);
    expect(pods.length).toBeGreaterThan(0);
    for (const pod of pods) {
      expect(valueAt(pod, 'securityContext')).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      const kinds = listAt(pod, 'volumes').flatMap((volume) => Object.keys(Object(volume)));
      expect(kinds.filter((kind) => !/^(name|secret|emptyDir|persistentVolumeClaim)$/.test(kind))).toEqual([]);
      for (const container of listAt(pod, 'containers')) {
        expect(container).toMatchObject({
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          },
          resources: { requests: { memory: expect.any(String) }, limits: { memory: expect.any(String) } },
          startupProbe: expect.any(Object),
          livenessProbe: expect.any(Object),
          readinessProbe: expect.any(Object),
        });
      }
    }
  });
});

test('the variant for the cluster of the tests is refused if a field that it replaces has changed', () => {
  const options = { namespace: 'test', apiServer: 'https://127.0.0.1:1', image: 'steward:1', dataFolder: '/data' };
  const variantOf = (from: string, to: string) => () => deployVariant(read('steward.yaml').replace(from, to), options);
  expect(variantOf('', '')).not.toThrow();
  expect(variantOf('policy/v1', 'policy/v2')).toThrow('apiVersion is "policy/v2" instead of "policy/v1"');
  expect(variantOf('persistentVolumeClaim:', 'emptyDir:')).toThrow('has no field persistentVolumeClaim');
  expect(variantOf('readinessProbe:', 'otherProbe:')).toThrow('has no field readinessProbe.httpGet');
  expect(variantOf('STEWARD_HOST', 'STEWARD_OTHER')).toThrow('there is no STEWARD_HOST');
});

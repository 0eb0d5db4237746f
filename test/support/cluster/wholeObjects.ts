// Objects of many kinds, as a version brings them.
import type { JsonObject } from '../../../src/foundation/schema/json.ts';

export const CONFIG_MAP = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'settings', labels: { app: 'shop' } },
  data: { mode: 'calm', 'shop.conf': 'a=1\n' },
};

export const SERVICE = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web' },
  spec: { selector: { app: 'web' }, ports: [{ name: 'http', port: 80, targetPort: 8080 }] },
};

/** A Deployment with most of what charts write. */
export function deploymentObject(name = 'web', image = 'shop/web:1', more: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, labels: { app: name } },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: name } },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      template: {
        metadata: { labels: { app: name }, annotations: { 'shop/team': 'web' } },
        spec: {
          terminationGracePeriodSeconds: 5,
          volumes: [
            { name: 'tmp', emptyDir: {} },
            { name: 'conf', configMap: { name: 'settings' } },
          ],
          containers: [
            {
              name: 'web',
              image,
              args: ['serve', '--quiet'],
              env: [
                { name: 'MODE', value: 'calm' },
                { name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
              ],
              ports: [{ name: 'http', containerPort: 8080 }],
              readinessProbe: { httpGet: { path: '/ready', port: 'http' }, periodSeconds: 3 },
              resources: { requests: { cpu: '100m', memory: '64Mi' }, limits: { memory: '128Mi' } },
              volumeMounts: [
                { name: 'tmp', mountPath: '/tmp' },
                { name: 'conf', mountPath: '/etc/shop', readOnly: true },
              ],
            },
          ],
        },
      },
      ...more,
    },
  };
}

/** As many objects of each kind. */
export function bundle(count: number): readonly JsonObject[] {
  return Array.from({ length: count }, (_, n): readonly JsonObject[] => [
    { ...CONFIG_MAP, metadata: { name: `settings-${n}` } },
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: `keys-${n}` }, stringData: { key: `value ${n}` } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: `account-${n}` } },
    { ...SERVICE, metadata: { name: `service-${n}` } },
    deploymentObject(`web-${n}`),
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: { name: `role-${n}` },
      rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] }],
    },
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata: { name: `policy-${n}` },
      spec: { podSelector: {}, policyTypes: ['Ingress'] },
    },
  ]).flat();
}

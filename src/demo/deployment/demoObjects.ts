// The objects of the demo's versions: a few settings, an account, services, and a workload that comes with the last release.
import type { JsonObject } from '../../foundation/schema/json.ts';
import { objectName } from '../../model/objects/bundleObject.ts';
import { bundleText } from '../../model/objects/bundleText.ts';

/** The workload that the last release adds. */
export const NEW_WORKLOAD = 'portal-assistant';

function configMap(name: string, data: Readonly<Record<string, string>>): JsonObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data };
}

function secret(name: string, values: Readonly<Record<string, string>>): JsonObject {
  const data = Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')]);
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name }, type: 'Opaque', data: Object.fromEntries(data) };
}

function service(name: string, port: number): JsonObject {
  const ports = [{ name: 'http', port, targetPort: 8080 }];
  return { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec: { selector: { app: name }, ports } };
}

function workload(name: string, image: string, settings: string): JsonObject {
  const labels = { app: name, 'app.kubernetes.io/component': 'portal', 'app.kubernetes.io/part-of': 'portal' };
  const container = { name, image, envFrom: [{ configMapRef: { name: settings } }] };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, labels, annotations: { 'steward/wave': '40' } },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels }, spec: { containers: [container] } },
    },
  };
}

const SYNONYMS = configMap('search-synonyms', { 'synonyms.txt': 'depot, warehouse\ninvoice, bill\n' });

const FIRST: readonly JsonObject[] = [
  configMap('portal-settings', { THEME: 'classic', PAGE_SIZE: '25', LEGACY_MENU: 'on' }),
  configMap('report-templates', { 'monthly.txt': 'Demo: figures of {{month}}\n' }),
  SYNONYMS,
  secret('mail-account', { username: 'demo', password: 'the made-up password of the demo' }),
  service('portal', 80),
];

/** Changes settings and the account, adds a workload with what it needs, and lacks the templates. */
function nextObjects(imageOf: (workload: string) => string): readonly JsonObject[] {
  return [
    configMap('portal-settings', { THEME: 'bright', PAGE_SIZE: '25', ASSISTANT: 'http://portal-assistant' }),
    configMap('assistant-settings', { LANGUAGES: 'de,en,fr', ANSWERS: 'short' }),
    SYNONYMS,
    secret('mail-account', { username: 'demo', password: 'the next made-up password of the demo' }),
    service('portal', 80),
    service(NEW_WORKLOAD, 80),
    workload(NEW_WORKLOAD, imageOf(NEW_WORKLOAD), 'assistant-settings'),
  ];
}

function bundle(objects: readonly JsonObject[]): Buffer {
  return Buffer.from(bundleText(objects.map((content) => ({ name: objectName(content), content }))));
}

/** The bundles of the first and of the next release with objects. */
export function demoBundles(imageOf: (workload: string) => string): { readonly first: Buffer; readonly next: Buffer } {
  return { first: bundle(FIRST), next: bundle(nextObjects(imageOf)) };
}

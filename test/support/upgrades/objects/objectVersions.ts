// Three bundles that differ in everything that may happen to an object. An upgrade from the first to the second creates, changes, keeps and
// removes objects, adds and removes a workload, and restarts one that reads changed configuration.
import { createHash } from 'node:crypto';
import type { JsonObject } from '../../../../src/foundation/schema/json.ts';
import { checksumOf } from '../../../../src/upgrades/objects/checkBundle.ts';
import type { Container } from '../../../../src/model/version/container.ts';
import type { Version } from '../../../../src/model/version.ts';
import { bundleBytes, configMap, deployment, object } from '../versionsWithObjects.ts';
import { definition, instance } from './objectSamples.ts';

export const DEFINITION_KIND = 'CustomResourceDefinition';

/** No message, answer or journal may have these, neither plain nor encoded. */
export const SECRET_VALUES = ['hush-first-value', 'hush-second-value', 'hush-third-value'] as const;
export const ENCODED_SECRETS: readonly string[] = SECRET_VALUES.map((one) => Buffer.from(one).toString('base64'));

/** The workloads of the bundles. Each has one container, `app`. */
const WORKLOADS = ['reader', 'worker', 'extra', 'gone'] as const;

export function containersOf(tag: string): readonly Container[] {
  return WORKLOADS.map((name) => {
    const checksum = `sha256:${createHash('sha256').update(`${name} ${tag}`).digest('hex')}`;
    return { name: `Deployment/${name}/app`, checksum, image: `registry.demo.invalid/${name}:${tag}@${checksum}` };
  });
}

const kept = { annotations: { 'steward/keep': 'true' } };
const token = (value: string): JsonObject => object('Secret', 'keys', { type: 'Opaque', stringData: { TOKEN: value } });
const claim = (name: string): JsonObject =>
  object('PersistentVolumeClaim', name, {
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  });
const service = (port: number): JsonObject =>
  object('Service', 'web', { spec: { type: 'ClusterIP', ports: [{ name: 'http', port }] } });
const autoscaler = (maxReplicas: number): JsonObject =>
  object(
    'HorizontalPodAutoscaler',
    'worker',
    { spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'worker' }, maxReplicas } },
    'autoscaling/v1',
  );
const run = (name: string, more: { readonly reads?: string; readonly env?: string } = {}): JsonObject =>
  deployment(name, `registry.demo.invalid/${name}:placeholder`, more);

export const BUNDLES = {
  a: [
    configMap('settings', { MODE: 'a', SAME: 'x' }),
    configMap('old', { gone: 'soon' }),
    configMap('kept', { stays: 'here' }, kept),
    token(SECRET_VALUES[0]),
    claim('data'),
    service(80),
    run('reader', { reads: 'settings' }),
    run('worker', { env: 'a' }),
    run('gone'),
    autoscaler(3),
  ],
  b: [
    definition(['v1']),
    configMap('settings', { MODE: 'b', SAME: 'x', MORE: 'y' }),
    configMap('new', { fresh: 'yes' }),
    configMap('spare', { stays: 'as well' }, kept),
    token(SECRET_VALUES[1]),
    claim('more'),
    service(80),
    instance('v1'),
    run('reader', { reads: 'settings' }),
    run('worker', { env: 'b' }),
    run('extra', { reads: 'new' }),
    autoscaler(5),
  ],
  c: [
    definition(['v1', 'v2']),
    configMap('settings', { MODE: 'c', SAME: 'x' }),
    configMap('old', { gone: 'back' }),
    token(SECRET_VALUES[2]),
    claim('data'),
    service(8080),
    run('reader', { reads: 'old' }),
    run('extra', { env: 'c' }),
    autoscaler(5),
  ],
} as const satisfies Readonly<Record<string, readonly JsonObject[]>>;

export type BundleName = keyof typeof BUNDLES;
export const BUNDLE_NAMES = ['a', 'b', 'c'] as const satisfies readonly BundleName[];

export const bundleOf = (name: BundleName): Buffer => bundleBytes(BUNDLES[name]);
export const checksumOfBundle = (name: BundleName): string => checksumOf(bundleOf(name));

/** A version with the containers of the workloads, and with the objects of a bundle. */
export function withBundle(version: Version, bundle: BundleName, tag: string = version.build): Version {
  return {
    ...version,
    containers: [...version.containers, ...containersOf(tag)],
    objects: { checksum: checksumOfBundle(bundle) },
  };
}

/** What the bundles have and a job never removes. */
export const NEVER_REMOVED: ReadonlySet<string> = new Set([
  'ConfigMap/kept',
  'ConfigMap/spare',
  'PersistentVolumeClaim/data',
  'PersistentVolumeClaim/more',
]);

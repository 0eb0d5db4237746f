// The objects of the versions of a large deployment: some workloads, and many small objects around them.
import type { JsonObject } from '../../../../src/foundation/schema/json.ts';
import { objectName } from '../../../../src/model/objects/bundleObject.ts';
import { bundleChecksum, bundleText } from '../../../../src/model/objects/bundleText.ts';
import type { Version } from '../../../../src/model/version.ts';
import { RIGHTS } from '../../../../src/drivers/kubernetes/preflight/rights.ts';
import type { TestRight } from '../serviceAccount.ts';
import type { Application, LargeDeployment, Tag } from './largeDeployment.ts';
import { deploymentOf } from './largeDeployment.ts';

const VERBS = ['get', 'list', 'watch', 'create', 'patch', 'delete'];

/** The plural names of the kinds that a bundle has. */
export const KINDS: readonly string[] = ['configmaps', 'secrets', 'services', 'serviceaccounts', 'deployments'];

/** What objects need beside the rights of an upgrade of images. */
export const OBJECT_RIGHTS: readonly TestRight[] = [
  ...RIGHTS,
  ...KINDS.map((resource) => ({ group: resource === 'deployments' ? 'apps' : '', resource, verbs: VERBS })),
  { group: 'autoscaling', resource: 'horizontalpodautoscalers', verbs: ['list'] },
];

function small(number: number, mode: string): JsonObject {
  const metadata = { name: `part-${number}`, labels: { part: String(number) } };
  const values = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`SETTING_${n}`, `value ${n} of ${number}`]));
  if (number % 4 === 0) return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { ...values, mode } };
  if (number % 4 === 1) return { apiVersion: 'v1', kind: 'Secret', metadata, stringData: { ...values, mode } };
  if (number % 4 === 2) {
    const ports = [{ name: 'http', port: 80, targetPort: 8080 }];
    return { apiVersion: 'v1', kind: 'Service', metadata, spec: { selector: { app: metadata.name }, ports } };
  }
  return { apiVersion: 'v1', kind: 'ServiceAccount', metadata, automountServiceAccountToken: false };
}

/** A bundle with the workloads, and as many small objects as it takes. */
function bundleOf(applications: readonly Application[], tag: Tag, count: number, mode: string): Buffer {
  const others = Array.from({ length: count - applications.length }, (_, number) => small(number, mode));
  const all = [...applications.map((one) => deploymentOf(one, tag)), ...others];
  return Buffer.from(bundleText(all.map((content) => ({ name: objectName(content), content }))));
}

export interface VersionWithObjects {
  readonly version: Version;
  readonly bundle: Buffer;
}

/** A release that creates most of its objects, a patch that changes a half of them, and one that changes nothing. */
export function versionsWithObjects(
  { applications, manifest }: LargeDeployment,
  count: number,
): readonly VersionWithObjects[] {
  const [, release] = manifest;
  if (release === undefined) throw new Error('the manifest has no second release');
  const patch = (build: string): Version => ({
    ...release,
    id: `pat_2.0.${build}`,
    update: 'patch',
    build,
    previousVersion: release.version,
    previousBuild: release.build,
  });
  const [first, next] = ['first', 'next'].map((mode) => bundleOf(applications, '2.0', count, mode));
  return [[release, first] as const, [patch('101'), next] as const, [patch('102'), next] as const].map(
    ([version, bundle = Buffer.alloc(0)]) => ({
      version: { ...version, objects: { checksum: bundleChecksum(bundle) } },
      bundle,
    }),
  );
}

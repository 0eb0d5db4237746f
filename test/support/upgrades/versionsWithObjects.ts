import type { JsonObject } from '../../../src/foundation/schema/json.ts';
import { checksumOf } from '../../../src/upgrades/objects/checkBundle.ts';
import type { Version } from '../../../src/model/version.ts';
import type { UpgradeServer } from './upgradeServer.ts';
import { UPGRADES } from './upgradeServer.ts';

export function object(kind: string, name: string, more: JsonObject = {}, apiVersion = 'v1'): JsonObject {
  const { metadata = {}, ...rest } = more as { readonly metadata?: JsonObject };
  return { apiVersion, kind, metadata: { name, ...metadata }, ...rest };
}

export const configMap = (
  name: string,
  data: Readonly<Record<string, string>>,
  metadata: JsonObject = {},
): JsonObject => object('ConfigMap', name, { data, metadata });

/** A workload with one container, `app`, whose pods read a ConfigMap. */
export function deployment(name: string, image: string, more: { readonly reads?: string; readonly env?: string } = {}) {
  const env = more.env === undefined ? {} : { env: [{ name: 'MODE', value: more.env }] };
  const envFrom = more.reads === undefined ? {} : { envFrom: [{ configMapRef: { name: more.reads } }] };
  const labels = { app: name };
  return object(
    'Deployment',
    name,
    {
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'app', image, ...env, ...envFrom }] } },
      },
    },
    'apps/v1',
  );
}

export function bundleBytes(objects: readonly JsonObject[]): Buffer {
  return Buffer.from(objects.map((one) => `${JSON.stringify(one)}\n`).join(''));
}

export interface PatchWithObjects {
  readonly build: number;
  readonly previousBuild?: string;
  readonly objects?: readonly JsonObject[];
  /** More containers, with their images. */
  readonly containers?: Version['containers'];
}

/** Makes a patch of the version that the demo begins with. */
function patchOf({ versions }: Pick<UpgradeServer, 'versions'>, given: PatchWithObjects): Version {
  const patches = versions.filter(({ update, version }) => update === 'patch' && version === versions[0]?.version);
  const last = patches.at(-1);
  if (last === undefined) throw new Error('the demo has no patch of its first version');
  const { build, objects, containers = [], previousBuild = last.previousBuild } = given;
  return {
    ...last,
    id: `pat_${last.version}.${build}`,
    build: String(build),
    previousBuild,
    containers: [...last.containers, ...containers],
    ...(objects && { objects: { checksum: checksumOf(bundleBytes(objects)) } }),
  };
}

/** Imports a patch with its objects. */
export async function importPatch(
  steward: Pick<UpgradeServer, 'versions' | 'postParts'>,
  given: PatchWithObjects,
): Promise<string> {
  const version = patchOf(steward, given);
  const { status, text } = await steward.postParts(`${UPGRADES}/importManifest`, [
    { name: 'versionManifestFile', content: JSON.stringify([version]), fileName: 'manifest.json' },
    ...(given.objects === undefined
      ? []
      : [{ name: 'objectsFile', content: bundleBytes(given.objects), fileName: 'objects.jsonl' }]),
  ]);
  if (status !== 200) throw new Error(text);
  return version.id;
}

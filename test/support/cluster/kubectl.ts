import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseJson } from '../../../src/foundation/schema/json.ts';
import type { ClusterObject } from '../../../src/drivers/kubernetes/api/clusterApi.ts';
import { listAt, textAt } from '../../../src/drivers/kubernetes/api/objectFields.ts';
import { runCommand, temporaryFolder } from '../run/runFolder.ts';
import { until } from '../run/until.ts';
import { ADMIN_KUBECONFIG } from './cluster.ts';

/** What kubectl says while the API server restarts. */
const IS_AWAY = /refused|EOF|timeout|unable to connect|not ready|reset by peer|has prevented the request/i;

/** Runs kubectl as the administrator, again while the API server is away, and returns its output. */
export async function kubectl(...args: readonly string[]): Promise<string> {
  let output = '';
  await until(`kubectl ${args.join(' ')} is answered`, async () => {
    const { status, stdout, stderr } = await runCommand('kubectl', ['--kubeconfig', ADMIN_KUBECONFIG, ...args]);
    output = stdout;
    if (status !== 0 && !IS_AWAY.test(stderr)) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`);
    return status === 0;
  });
  return output;
}

const versions = new Map<string, Promise<string>>();

async function findVersion(group: string, plural: string): Promise<string> {
  const served = listAt(parseJson(await kubectl('get', '--raw', `/apis/${group}`)), 'versions').map((one) =>
    textAt(one, 'groupVersion'),
  );
  for (const version of served) {
    const resources = listAt(parseJson(await kubectl('get', '--raw', `/apis/${version}`)), 'resources');
    if (resources.some((one) => textAt(one, 'name') === plural)) return version;
  }
  throw new Error(`the cluster has no ${plural} in the group ${group}`);
}

/** The version of a group in which the cluster serves a kind, such as `batch/v1beta1`: it depends on the version of the cluster. */
export function servedVersion(group: string, plural: string): Promise<string> {
  const key = `${plural}.${group}`;
  const found = versions.get(key) ?? findVersion(group, plural);
  versions.set(key, found);
  return found;
}

/** The object with its managed fields, which newer versions of kubectl leave out. */
export async function withManagedFields({ apiVersion = '', kind = '', metadata }: ClusterObject) {
  const { namespace = '', name } = metadata;
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const path = `${root}/namespaces/${namespace}/${kind.toLowerCase()}s/${name}`;
  return objectsIn(await kubectl('get', '--raw', path))[0];
}

/** Runs kubectl with a file of JSON, as `-f`. */
export async function kubectlFile(value: unknown, ...args: readonly string[]): Promise<string> {
  const folder = temporaryFolder();
  const file = join(folder.path, 'objects.json');
  writeFileSync(file, JSON.stringify(value));
  try {
    return await kubectl(...args, '-f', file);
  } finally {
    folder.remove();
  }
}

function isClusterObject(value: unknown): value is ClusterObject {
  return textAt(value, 'metadata', 'name') !== '';
}

/** The objects in the output of `kubectl get -o json`, of one object or of a list. */
export function objectsIn(output: string): readonly ClusterObject[] {
  const value = parseJson(output);
  return isClusterObject(value) ? [value] : listAt(value, 'items').filter(isClusterObject);
}

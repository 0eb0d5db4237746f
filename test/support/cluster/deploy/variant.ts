// The variant of the files in deploy/ that the cluster of the tests can run. It has Kubernetes 1.20, one node without a pod network,
// and neither storage nor tokens for pods. Only that is changed, and each field that is replaced must be there: otherwise the
// test fails, and the variant cannot silently differ from the files.
import { loadAll } from 'js-yaml';
import type { ClusterObject } from '../../../../src/drivers/kubernetes/api/clusterApi.ts';

export interface VariantOptions {
  readonly namespace: string;
  /** The address of the API server, which a cluster gives to its pods. */
  readonly apiServer: string;
  /** The image of Steward. */
  readonly image: string;
  /** A folder of this machine that takes the place of the volume with SQLite, and outlives the pod as the volume does. */
  readonly dataFolder?: string;
  /** What takes the place of PostgreSQL and its port. */
  readonly postgres?: { readonly image: string; readonly port: number };
  /** More variables of Steward. */
  readonly env?: Readonly<Record<string, string>>;
  /** A folder of this machine for the pods of Steward, for a test that needs one. */
  readonly sharedFolder?: string | undefined;
}

type Fields = Record<string, unknown>;
type Path = readonly (string | number)[];

const PLACEHOLDER_NAMESPACE = 'shop';
const POD = ['spec', 'template', 'spec'];
const TOKEN_VOLUME = 'token';
const TOKEN_FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';
/** Kubernetes 1.20 has these kinds in older versions only. */
const OLDER_VERSIONS: Readonly<Record<string, readonly [from: string, to: string]>> = {
  PodDisruptionBudget: ['policy/v1', 'policy/v1beta1'],
};

/** Asks the port on which the first process of the container listens. The node has many others. */
const PROBE = `
sockets=$(/bin/busybox ls -l /proc/1/fd | /bin/busybox sed -n 's/.*socket:\\[\\([0-9]*\\)\\]/ \\1 /p')
port=$(/bin/busybox awk -v s="$sockets" '$4 == "0A" && index(s, " " $10 " ") { split($2, a, ":"); print a[2]; exit }' /proc/net/tcp)
case $1 in
  HTTP) client='/bin/busybox nc 127.0.0.1' port=" $((0x$port))" ;;
  HTTPS) client='openssl s_client -quiet -connect 127.0.0.1' port=":$((0x$port))" ;;
esac
printf 'GET %s HTTP/1.0\\r\\n\\r\\n' "$2" | $client$port 2>/dev/null | /bin/busybox grep -q '^HTTP/1.1 200'
`;

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

/** The value at a path, which must be there. */
function fieldAt(object: Fields, path: Path): unknown {
  let found: unknown = object;
  for (const key of path) {
    found = isFields(found) ? found[key] : undefined;
    if (found === undefined)
      throw new Error(`${String(object['kind'] ?? object['name'])} has no field ${path.join('.')}`);
  }
  return found;
}

function fieldsAt(object: Fields, path: Path): Fields {
  const found = fieldAt(object, path);
  if (!isFields(found)) throw new Error(`${path.join('.')} has no fields`);
  return found;
}

function listAt(object: Fields, path: Path): unknown[] {
  const found = fieldAt(object, path);
  if (!Array.isArray(found)) throw new Error(`${path.join('.')} is not a list`);
  return found;
}

/** Replaces a field that is there. `isExpected` says what it must have been. */
function replace(object: Fields, path: Path, value: unknown, expected?: unknown): void {
  const found = fieldAt(object, path);
  if (expected !== undefined && found !== expected)
    throw new Error(`${path.join('.')} is ${JSON.stringify(found)} instead of ${JSON.stringify(expected)}`);
  fieldsAt(object, path.slice(0, -1))[String(path.at(-1))] = value;
}

function remove(object: Fields, path: Path): void {
  fieldAt(object, path);
  delete fieldsAt(object, path.slice(0, -1))[String(path.at(-1))];
}

/** The element of a list with this name, which must be there. */
function named(list: readonly unknown[], name: string): Fields {
  const found = list.find((one) => isFields(one) && one['name'] === name);
  if (!isFields(found)) throw new Error(`there is no ${name}`);
  return found;
}

function variables(env: Readonly<Record<string, string>>): readonly Fields[] {
  return Object.entries(env).map(([name, value]) => ({ name, value }));
}

function changeProbe(container: Fields, name: string): void {
  const { path, scheme = 'HTTP' } = fieldsAt(container, [name, 'httpGet']);
  remove(container, [name, 'httpGet']);
  fieldsAt(container, [name])['exec'] = {
    command: ['/bin/sh', '-c', PROBE, 'probe', scheme, path],
  };
}

/** Gives the pod the network of the node, where no two pods can have the same port. */
function useNodeNetwork(workload: Fields, container: Fields): void {
  fieldsAt(workload, POD)['hostNetwork'] = true;
  remove(container, ['ports']);
}

/** Adds what a cluster puts into a pod: the token, the certificate, the namespace and the address of the API server. */
function addToken(workload: Fields, container: Fields, apiServer: string): void {
  replace(workload, [...POD, 'automountServiceAccountToken'], false, true);
  const sources = [
    { serviceAccountToken: { path: 'token' } },
    { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
    { downwardAPI: { items: [{ path: 'namespace', fieldRef: { fieldPath: 'metadata.namespace' } }] } },
  ];
  listAt(workload, [...POD, 'volumes']).push({ name: TOKEN_VOLUME, projected: { sources } });
  listAt(container, ['volumeMounts']).push({ name: TOKEN_VOLUME, mountPath: TOKEN_FOLDER });
  const { hostname, port } = new URL(apiServer);
  const address = { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port };
  listAt(container, ['env']).push(...variables(address));
}

/** Lets the pod see a folder of this machine under the same path. */
function mountFolder(workload: Fields, container: Fields, path: string): void {
  listAt(workload, [...POD, 'volumes']).push({ name: 'shared', hostPath: { path } });
  listAt(container, ['volumeMounts']).push({ name: 'shared', mountPath: path });
}

function changeSteward(workload: Fields, options: VariantOptions): void {
  const { image, dataFolder, postgres, sharedFolder, env = {} } = options;
  const container = named(listAt(workload, [...POD, 'containers']), 'steward');
  const settings = listAt(container, ['env']);
  replace(container, ['image'], image);
  useNodeNetwork(workload, container);
  replace(named(settings, 'STEWARD_HOST'), ['value'], '127.0.0.1', '0.0.0.0');
  replace(named(settings, 'STEWARD_PORT'), ['value'], '0', '6080');
  for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe']) changeProbe(container, probe);
  addToken(workload, container, options.apiServer);
  if (dataFolder !== undefined) {
    const volume = named(listAt(workload, [...POD, 'volumes']), 'data');
    remove(volume, ['persistentVolumeClaim']);
    volume['hostPath'] = { path: dataFolder };
  }
  if (sharedFolder !== undefined) mountFolder(workload, container, sharedFolder);
  if (postgres !== undefined) {
    const store = named(settings, 'STEWARD_STORE');
    const [before, after, ...more] = String(fieldAt(store, ['value'])).split('@steward-postgres:5432/');
    if (after === undefined || more.length > 0) throw new Error('STEWARD_STORE does not name steward-postgres:5432');
    store['value'] = `${before}@127.0.0.1:${postgres.port}/${after}`;
  }
  settings.push(...variables(env));
}

function changePostgres(workload: Fields, { postgres }: VariantOptions): void {
  if (postgres === undefined) throw new Error('the file has PostgreSQL, but the test gives none');
  const container = named(listAt(workload, [...POD, 'containers']), 'postgres');
  replace(container, ['image'], postgres.image, 'postgres:17');
  useNodeNetwork(workload, container);
  listAt(container, ['env']).push(...variables({ PGPORT: String(postgres.port) }));
  named(
    listAt(workload, ['spec', 'volumeClaimTemplates']).map((one) => isFields(one) && one['metadata']),
    'data',
  );
  remove(workload, ['spec', 'volumeClaimTemplates']);
  listAt(workload, [...POD, 'volumes']).push({ name: 'data', emptyDir: {} });
}

function isClusterObject(value: Fields): value is Fields & ClusterObject {
  return isFields(value['metadata']) && typeof value['metadata']['name'] === 'string';
}

/** Reads the objects of a file in deploy/. */
export function deployObjects(text: string): readonly (Fields & ClusterObject)[] {
  return loadAll(text).map((object) => {
    if (!isFields(object) || !isClusterObject(object))
      throw new Error('the file contains something that is not an object');
    return object;
  });
}

/** Makes the variant of a file in deploy/. */
export function deployVariant(text: string, options: VariantOptions): readonly ClusterObject[] {
  return deployObjects(text).flatMap((object) => {
    const { kind, metadata } = object;
    const older = OLDER_VERSIONS[kind ?? ''];
    if (older !== undefined) replace(object, ['apiVersion'], older[1], older[0]);
    if (kind === 'RoleBinding') replace(object, ['subjects', 0, 'namespace'], options.namespace, PLACEHOLDER_NAMESPACE);
    if (kind === 'PersistentVolumeClaim') return [];
    if (kind === 'Deployment' && metadata.name === 'steward') changeSteward(object, options);
    if (kind === 'StatefulSet') changePostgres(object, options);
    return [object];
  });
}

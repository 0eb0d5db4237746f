// A large deployment on a control plane without nodes: a namespace with many Deployments, the account of Steward, and two
// versions of the application.
import { mapInParallel } from '../../../../src/foundation/flow/mapInParallel.ts';
import type { JsonObject } from '../../../../src/foundation/schema/json.ts';
import { listAt, textAt } from '../../../../src/drivers/kubernetes/api/objectFields.ts';
import { RIGHTS } from '../../../../src/drivers/kubernetes/preflight/rights.ts';
import type { Version } from '../../../../src/model/version.ts';
import { LABELS } from '../../../../src/drivers/kubernetes/workloads/labels.ts';
import type { TestRight } from '../serviceAccount.ts';
import { accountObjects, roleObject, tokenRequest, writeKubeconfig } from '../serviceAccount.ts';
import type { Call, ControlPlane } from './controlPlane.ts';
import type { RegistryImage, TestRegistry } from './testRegistry.ts';

export const NAMESPACE = 'large';
/** The account of Steward, as the API server names it. */
export const ACCOUNT = `system:serviceaccount:${NAMESPACE}:steward`;

const WAVES = 10;
const MODULES = 20;
/** Makes an object as large as one of a real application, of which most is environment. */
const VARIABLES = 30;

const HERE = `/namespaces/${NAMESPACE}`;
const PATHS: Readonly<Record<string, string>> = {
  ServiceAccount: `/api/v1${HERE}/serviceaccounts`,
  Role: `/apis/rbac.authorization.k8s.io/v1${HERE}/roles`,
  RoleBinding: `/apis/rbac.authorization.k8s.io/v1${HERE}/rolebindings`,
};

export type Tag = '1.0' | '2.0';

export interface Application {
  readonly name: string;
  readonly number: number;
  readonly images: Readonly<Record<Tag, RegistryImage>>;
}

export interface LargeDeployment {
  readonly applications: readonly Application[];
  /** A manifest with the releases 1.0 and 2.0. */
  readonly manifest: readonly Version[];
  /** How many pods are ready, and run the image of a version. */
  readyPods(tag: Tag): Promise<number>;
}

function pinnedTo({ tagged, checksum }: RegistryImage): string {
  return `${tagged}@${checksum}`;
}

/** An application, as the object of a version. */
export function deploymentOf({ name, number, images }: Application, tag: Tag = '1.0'): JsonObject {
  const env = Array.from({ length: VARIABLES }, (_, n) => ({
    name: `SETTING_${n}_OF_THE_APPLICATION`,
    value: `https://service-${n}.${name}.example.com:8443/path/of/the/service`,
  }));
  const container = {
    name: 'app',
    image: pinnedTo(images[tag]),
    env,
    resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '256Mi' } },
    readinessProbe: { httpGet: { path: '/ready', port: 8080 } },
  };
  const labels = {
    'steward/upgrade': 'true',
    [LABELS.wave]: String(10 + Math.floor(number % WAVES)),
    [LABELS.component]: name,
    [LABELS.module]: `module-${number % MODULES}`,
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, labels },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { containers: [container] } },
    },
  };
}

function releaseOf(tag: Tag, previousVersion: string, applications: readonly Application[]): Version {
  return {
    id: `rel_${tag}`,
    name: tag,
    description: '',
    update: 'release',
    version: tag,
    build: '100',
    previousVersion,
    previousBuild: '',
    released: 1_700_000_000_000,
    releaseNotes: '',
    newLicensesRequired: false,
    containers: applications.map(({ name, images }) => ({
      name: `${name}/app`,
      checksum: images[tag].checksum,
      image: images[tag].tagged,
    })),
  };
}

/** Creates the account of Steward with the rights that it needs, and writes its kubeconfig. */
export async function createAccount(
  { call, connection }: ControlPlane,
  kubeconfig: string,
  rights: readonly TestRight[] = RIGHTS,
): Promise<void> {
  await call({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: NAMESPACE } } });
  for (const body of [...accountObjects(NAMESPACE), roleObject(rights)])
    await call({ method: 'POST', path: PATHS[body.kind] ?? '', body });
  const token = textAt(await call({ method: 'POST', ...tokenRequest(NAMESPACE) }), 'status', 'token');
  writeKubeconfig(kubeconfig, connection.server, NAMESPACE, token);
}

async function countReady(call: Call, references: ReadonlySet<string>): Promise<number> {
  const pods = listAt(await call({ method: 'GET', path: `/api/v1${HERE}/pods` }), 'items');
  return pods.filter(
    (pod) =>
      textAt(pod, 'status', 'phase') === 'Running' &&
      listAt(pod, 'spec', 'containers').every((one) => references.has(textAt(one, 'image'))),
  ).length;
}

/** Creates Deployments of the version 1.0, each with its own image, as kubectl does. */
export async function createLargeDeployment(
  { call }: ControlPlane,
  registry: TestRegistry,
  count: number,
): Promise<LargeDeployment> {
  const applications = Array.from({ length: count }, (_, number): Application => {
    const name = `app-${number}`;
    return { name, number, images: { '1.0': registry.add(name, '1.0'), '2.0': registry.add(name, '2.0') } };
  });
  const path = `/apis/apps/v1${HERE}/deployments?fieldManager=kubectl-create`;
  await mapInParallel(applications, (one) => call({ method: 'POST', path, body: deploymentOf(one) }));
  return {
    applications,
    manifest: [releaseOf('1.0', '', applications), releaseOf('2.0', '1.0', applications)],
    readyPods: (tag) => countReady(call, new Set(applications.map(({ images }) => pinnedTo(images[tag])))),
  };
}

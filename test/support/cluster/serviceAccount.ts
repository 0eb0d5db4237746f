import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseJson } from '../../../src/foundation/schema/json.ts';
import { textAt } from '../../../src/drivers/kubernetes/api/objectFields.ts';
import { RIGHTS } from '../../../src/drivers/kubernetes/preflight/rights.ts';
import { temporaryFolder } from '../run/runFolder.ts';
import { until } from '../run/until.ts';
import { kubectl, kubectlFile } from './kubectl.ts';
import type { TestNamespace } from './testNamespace.ts';

export type TestRight = (typeof RIGHTS)[number];

export interface ServiceAccount {
  /** The path of a kubeconfig with the token of the account. */
  readonly kubeconfig: string;
  /** Replaces the rights of the account. They are in force when it returns. */
  grant(rights: readonly TestRight[]): Promise<void>;
  remove(): void;
}

const NAME = 'steward';
const RBAC = 'rbac.authorization.k8s.io';

function rightsOf(rights: readonly TestRight[]): readonly string[] {
  return rights.flatMap(({ group, resource, verbs }) =>
    verbs.map((verb) => `${resource}${group === '' ? '' : `.${group}`} ${verb}`),
  );
}

export function roleObject(rights: readonly TestRight[]) {
  const rules = rights.map(({ group, resource, verbs }) => ({ apiGroups: [group], resources: [resource], verbs }));
  return { apiVersion: `${RBAC}/v1`, kind: 'Role', metadata: { name: NAME }, rules };
}

/** The address of the API server. */
export async function serverAddress(): Promise<string> {
  return (await kubectl('config', 'view', '-o', 'jsonpath={.clusters[0].cluster.server}')).trim();
}

/** The account, and the binding of its Role. */
export function accountObjects(namespace: string) {
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: NAME } },
    {
      apiVersion: `${RBAC}/v1`,
      kind: 'RoleBinding',
      metadata: { name: NAME },
      subjects: [{ kind: 'ServiceAccount', name: NAME, namespace }],
      roleRef: { apiGroup: RBAC, kind: 'Role', name: NAME },
    },
  ];
}

/** The path at which the API server gives tokens of the account, and what it is sent. */
export function tokenRequest(namespace: string) {
  return {
    path: `/api/v1/namespaces/${namespace}/serviceaccounts/${NAME}/token`,
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 86_400 } },
  };
}

/** Writes a kubeconfig with the token of the account. */
export function writeKubeconfig(path: string, server: string, namespace: string, token: string): void {
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'test', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: NAME, user: { token } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: NAME, namespace } }],
    'current-context': 'test',
  };
  // JSON is YAML.
  writeFileSync(path, JSON.stringify(config));
}

/** Creates an account with a Role of these rights; by default those that docs/kubernetes.md lists. */
export async function openServiceAccount(
  namespace: TestNamespace,
  rights: readonly TestRight[] = RIGHTS,
): Promise<ServiceAccount> {
  await namespace.apply(...accountObjects(namespace.name));
  const may = async (right: string): Promise<boolean> => {
    const [resource = '', verb = ''] = right.split(' ');
    const as = `--as=system:serviceaccount:${namespace.name}:${NAME}`;
    return (await namespace.kubectl('auth', 'can-i', verb, resource, as, '--quiet').catch(() => 'no')) !== 'no';
  };
  let current: readonly string[] = [];
  async function grant(granted: readonly TestRight[]): Promise<void> {
    const next = rightsOf(granted);
    const changed = [...next.filter((one) => !current.includes(one)), ...current.filter((one) => !next.includes(one))];
    current = next;
    await namespace.apply(roleObject(granted));
    // The server learns of a Role a moment later, and of all its rules at once.
    const [one] = changed;
    if (one !== undefined) await until('the rights have changed', async () => (await may(one)) === next.includes(one));
  }
  await grant(rights);
  const { path, body } = tokenRequest(namespace.name);
  const token = textAt(parseJson(await kubectlFile(body, 'create', '--raw', path)), 'status', 'token');
  const folder = temporaryFolder();
  const kubeconfig = join(folder.path, 'kubeconfig');
  writeKubeconfig(kubeconfig, await serverAddress(), namespace.name, token);
  return { kubeconfig, grant, remove: folder.remove };
}

// The rights that the driver needs, and what to grant if one is missing.
import { mapInParallel } from '../../../foundation/flow/mapInParallel.ts';
import type { Check } from '../../../upgrades/ports/deployment.ts';
import { DeploymentRefusal } from '../../../model/failure.ts';
import type { ClusterApi } from '../api/clusterApi.ts';
import { ApiError } from '../api/apiError.ts';

export interface Right {
  readonly group: string;
  readonly resource: string;
  readonly verbs: readonly string[];
  /** What is left out without it; undefined if an upgrade needs it. */
  readonly without?: string;
}

/** For the check of nodes, which belong to the whole cluster, so that no Role can grant them. */
export const NODES: Right = { group: '', resource: 'nodes', verbs: ['list'], without: 'the check `nodes` is not made' };

export const QUOTAS: Right = {
  group: '',
  resource: 'resourcequotas',
  verbs: ['list'],
  without: 'the check `quota` is not made',
};

/** Everything that an upgrade may do in its namespace, required or optional. docs/kubernetes.md has the same as a Role. */
export const RIGHTS: readonly Right[] = [
  { group: 'apps', resource: 'deployments', verbs: ['get', 'list', 'watch', 'patch'] },
  { group: 'apps', resource: 'statefulsets', verbs: ['get', 'list', 'watch', 'patch'] },
  { group: 'apps', resource: 'daemonsets', verbs: ['get', 'list', 'watch', 'patch'] },
  { group: 'batch', resource: 'cronjobs', verbs: ['get', 'list', 'watch', 'patch'] },
  { group: 'batch', resource: 'jobs', verbs: ['get', 'list', 'create', 'delete'] },
  { group: '', resource: 'pods', verbs: ['get', 'list', 'watch', 'delete'] },
  { group: '', resource: 'pods/log', verbs: ['get'] },
  { group: '', resource: 'configmaps', verbs: ['get', 'create', 'patch'] },
  { group: '', resource: 'secrets', verbs: ['get', 'create', 'patch'] },
  { group: '', resource: 'serviceaccounts', verbs: ['get'] },
  { group: '', resource: 'persistentvolumeclaims', verbs: ['get', 'list', 'create', 'patch'] },
  QUOTAS,
  {
    group: '',
    resource: 'events',
    verbs: ['list', 'create'],
    without: 'events do not explain why a rollout waits, and jobs are not recorded as events',
  },
];

/** The rule of a Role that grants a right. */
export function ruleOf({ group, resource, verbs }: Right): string {
  const all = verbs.map((verb) => `"${verb}"`).join(', ');
  return `- apiGroups: ["${group}"]\n  resources: ["${resource}"]\n  verbs: [${all}]`;
}

/** A Role with these rights, to be applied with kubectl. */
export function roleOf(rights: readonly Right[], namespace: string): string {
  return [
    'apiVersion: rbac.authorization.k8s.io/v1',
    'kind: Role',
    `metadata: {name: steward, namespace: ${namespace}}`,
    'rules:',
    ...rights.map(ruleOf),
  ].join('\n');
}

async function isAllowed(
  api: ClusterApi,
  { group, resource: name }: Right,
  verb: string,
  signal?: AbortSignal,
): Promise<boolean> {
  const [resource = '', subresource] = name.split('/');
  return api.mayI({ verb, group, resource, ...(subresource !== undefined && { subresource }) }, signal);
}

/** Asks the server for every right at once, so that a person sees all that are missing. */
export async function checkRights(api: ClusterApi, signal?: AbortSignal): Promise<Check> {
  const asked = RIGHTS.flatMap((right) => right.verbs.map((verb) => ({ right, verb })));
  const answers = await mapInParallel(asked, ({ right, verb }) => isAllowed(api, right, verb, signal));
  const missing = asked.filter((_, n) => answers[n] === false);
  if (missing.length === 0)
    return {
      name: 'rights',
      verdict: 'pass',
      text: `Steward has all ${asked.length} rights that it needs in the namespace ${api.namespace}.`,
      todo: '',
    };
  const lacking = RIGHTS.flatMap((right) => {
    const verbs = missing.filter((one) => one.right === right).map(({ verb }) => verb);
    return verbs.length === 0 ? [] : [{ ...right, verbs }];
  });
  const required = lacking.filter(({ without }) => without === undefined);
  const named = (rights: readonly Right[]): string =>
    `The account of Steward lacks rights in the namespace ${api.namespace}: ${rights.map(({ resource, verbs }) => `${verbs.join(', ')} ${resource}`).join('; ')}.`;
  if (required.length === 0)
    return {
      name: 'rights',
      verdict: 'warn',
      text: `${named(lacking)} An upgrade works without them, but ${lacking.map(({ without }) => without).join('; ')}.`,
      todo: `Add to the Role of Steward:\n${lacking.map(ruleOf).join('\n')}`,
    };
  return {
    name: 'rights',
    verdict: 'fail',
    text: named(required),
    // With all rights, not only the missing ones: applying it must not take the others away.
    todo: `Apply this Role, and bind it to the account of Steward:\n${roleOf(RIGHTS, api.namespace)}`,
  };
}

/** Turns an answer that a right is missing into a refusal that names all missing ones, so that a person grants them at once. */
export async function withAllRights(api: ClusterApi, error: unknown, signal?: AbortSignal): Promise<unknown> {
  if (!(error instanceof ApiError) || error.status !== 403) return error;
  const { verdict, text, todo } = await checkRights(api, signal);
  return verdict === 'fail' ? new DeploymentRefusal({ reason: text, lines: [], advice: todo }) : error;
}

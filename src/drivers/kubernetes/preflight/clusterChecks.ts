// What makes rollouts stall: a quota without room, nodes that are not ready, and containers without a readiness probe.
import { listed } from '../../../foundation/text/listed.ts';
import { isObject, valueAt } from '../../../foundation/schema/json.ts';
import type { Check } from '../../../upgrades/ports/deployment.ts';
import type { ClusterApi, ClusterObject } from '../api/clusterApi.ts';
import { ApiError } from '../api/apiError.ts';
import { conditionOf, numberAt, textAt } from '../api/objectFields.ts';
import { bytesOf } from '../acts/volumes.ts';
import type { Right } from './rights.ts';
import { NODES, QUOTAS, ruleOf } from './rights.ts';
import type { FoundWorkload } from '../workloads/podTemplate.ts';
import { templateContainers } from '../workloads/podTemplate.ts';

function pass(name: string, text: string): Check {
  return { name, verdict: 'pass', text, todo: '' };
}

/** A check that needs an optional right which the account lacks. It does not keep an upgrade from starting. */
function notChecked(name: string, right: Right, role: string): Check {
  return {
    name,
    verdict: 'unknown',
    text: `Not checked: the account of Steward lacks the right ${right.verbs.join(', ')} ${right.resource}, and an upgrade does not need it.`,
    todo: `To have this check, add to a ${role} of that account:\n${ruleOf(right)}`,
  };
}

/** Undefined if the account may not list this kind. */
async function listIfAllowed(
  api: ClusterApi,
  kind: string,
  signal?: AbortSignal,
): Promise<readonly ClusterObject[] | undefined> {
  try {
    return (await api.list(kind, undefined, signal)).items;
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return undefined;
    throw error;
  }
}

/** A quantity as a number: `500m`, `2`, `64Gi`. */
function quantityOf(text: string): number {
  return text.endsWith('m') ? Number(text.slice(0, -1)) / 1000 : bytesOf(text);
}

/** The parts of a quota that are used up. */
function usedUp({ metadata: { name }, status }: ClusterObject): readonly string[] {
  const [hard, used] = [valueAt(status, 'hard'), valueAt(status, 'used')];
  if (!isObject(hard) || !isObject(used)) return [];
  return Object.keys(hard).flatMap((resource) => {
    const [limit, value] = [textAt(hard, resource), textAt(used, resource) || '0'];
    return quantityOf(value) >= quantityOf(limit) ? [`${resource} of ${name} (${value} of ${limit})`] : [];
  });
}

export async function checkQuota(api: ClusterApi, signal?: AbortSignal): Promise<Check> {
  const items = await listIfAllowed(api, 'ResourceQuota', signal);
  if (items === undefined) return notChecked('quota', QUOTAS, 'Role');
  const full = items.flatMap(usedUp);
  if (full.length === 0)
    return pass('quota', items.length === 0 ? 'The namespace has no quota.' : 'The quota has room.');
  return {
    name: 'quota',
    verdict: 'warn',
    text: `The quota of the namespace ${api.namespace} is used up: ${listed(full)}. A rollout that needs one more pod would wait.`,
    todo: 'Raise the quota, or let the workloads replace a pod before they add one (maxSurge 0).',
  };
}

function isReady(node: ClusterObject): boolean {
  return textAt(conditionOf(node, 'Ready'), 'status') === 'True' && valueAt(node.spec, 'unschedulable') !== true;
}

/** Nodes belong to the cluster, so an account with rights in one namespace may not see them. */
export async function checkNodes(api: ClusterApi, signal?: AbortSignal): Promise<Check> {
  const items = await listIfAllowed(api, 'Node', signal);
  if (items === undefined) return notChecked('nodes', NODES, 'ClusterRole');
  const away = items.filter((node) => !isReady(node)).map(({ metadata }) => metadata.name);
  if (away.length === 0) return pass('nodes', `${items.length} of ${items.length} nodes are ready.`);
  return {
    name: 'nodes',
    verdict: 'warn',
    text: `${away.length} of ${items.length} nodes are not ready: ${listed(away)}.`,
    todo: 'Repair or drain them first: a rollout waits for pods that they cannot start.',
  };
}

/** Without a readiness probe a pod counts as ready as soon as it runs. */
export function checkProbes(workloads: readonly FoundWorkload[]): Check {
  const without = workloads
    .filter(({ kind }) => kind !== 'CronJob')
    .flatMap(({ kind, object }) =>
      templateContainers(kind, object)
        .filter(({ isInit, hasReadinessProbe }) => !isInit && !hasReadinessProbe)
        .map(({ name }) => `${kind}/${object.metadata.name}/${name}`),
    );
  if (without.length === 0) return pass('probes', 'All containers have a readiness probe.');
  return {
    name: 'probes',
    verdict: 'warn',
    text: `These containers have no readiness probe, so that a rollout counts them as ready as soon as they run: ${listed(without)}.`,
    todo: 'Add a readiness probe, so that an upgrade stops at an image that does not work.',
  };
}

/** A workload without replicas takes a new image without running it. */
export function checkReplicas(workloads: readonly FoundWorkload[]): Check {
  const empty = workloads
    .filter(({ object }) => numberAt(object.spec, 'replicas') === 0)
    .map(({ kind, object }) => `${kind}/${object.metadata.name}`);
  if (empty.length === 0) return pass('replicas', 'No workload is scaled to zero.');
  return {
    name: 'replicas',
    verdict: 'warn',
    text: `These workloads are scaled to zero: ${listed(empty)}. Their images are changed, but nothing shows that the new ones start.`,
    todo: 'If they should be tested by the upgrade, scale them up first.',
  };
}

/** A template of a hook that is not suspended also runs by its schedule. */
export function checkHookTemplates(templates: readonly FoundWorkload[]): Check {
  const active = templates
    .filter(({ object }) => valueAt(object.spec, 'suspend') !== true)
    .map(({ object }) => object.metadata.name);
  if (active.length === 0) return pass('hookTemplates', 'All templates of hooks are suspended.');
  return {
    name: 'hookTemplates',
    verdict: 'warn',
    text: `These CronJobs are templates of hooks and are not suspended, so that they also run by their schedule: ${listed(active)}.`,
    todo: 'Set suspend: true in them, unless that is intended.',
  };
}

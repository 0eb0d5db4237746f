// The order in which the objects of a bundle are applied: parts one after another, and ranks within a part.
import type { JsonObject } from '../../foundation/schema/json.ts';
import { kindOf } from './bundleObject.ts';
import { isHook, markOf } from './objectMarks.ts';
import { isWorkloadKind } from './podTemplate.ts';

/** `before` and `after` are before and after the workloads; definitions are before everything. */
export type ObjectPart = 'definitions' | 'before' | 'workloads' | 'after';

/**
 * Admission webhooks and aggregated API servers are among them: until the workloads behind them run, they refuse what a part before
 * wants to apply.
 */
const AFTER: ReadonlySet<string> = new Set([
  'APIService',
  'HorizontalPodAutoscaler',
  'Ingress',
  'MutatingWebhookConfiguration',
  'PodDisruptionBudget',
  'ValidatingWebhookConfiguration',
]);

const RANKS: Readonly<Record<number, readonly string[]>> = {
  10: ['Namespace', 'ServiceAccount'],
  20: ['ClusterRole', 'PodSecurityPolicy', 'Role'],
  21: ['ClusterRoleBinding', 'RoleBinding'],
  30: [
    'ConfigMap',
    'IngressClass',
    'LimitRange',
    'NetworkPolicy',
    'PriorityClass',
    'ResourceQuota',
    'RuntimeClass',
    'Secret',
    'StorageClass',
  ],
  39: ['PersistentVolume'],
  40: ['PersistentVolumeClaim'],
  45: ['EndpointSlice', 'Endpoints', 'Service'],
};
/** Others are mostly instances of definitions, which may refer to anything above. */
const RANK_OF_OTHERS = 48;
const RANK_OF_WORKLOADS = 50;
const RANK_AFTER = 60;

const rankByKind: ReadonlyMap<string, number> = new Map(
  Object.entries(RANKS).flatMap(([rank, kinds]) => kinds.map((kind) => [kind, Number(rank)] as const)),
);

export function partOf(content: JsonObject): ObjectPart {
  const kind = kindOf(content);
  if (kind === 'CustomResourceDefinition') return 'definitions';
  if (isWorkloadKind(kind) && !isHook(content)) return 'workloads';
  return AFTER.has(kind) ? 'after' : 'before';
}

/** Lower ranks come first in their part. `steward/wave` overrides the rank of the kind. */
export function rankOf(content: JsonObject): number {
  const wave = markOf(content, 'steward/wave');
  if (wave !== undefined && /^\d{1,9}$/.test(wave)) return Number(wave);
  const part = partOf(content);
  if (part === 'workloads') return RANK_OF_WORKLOADS;
  if (part === 'after') return RANK_AFTER;
  return rankByKind.get(kindOf(content)) ?? RANK_OF_OTHERS;
}

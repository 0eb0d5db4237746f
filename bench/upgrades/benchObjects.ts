// Objects of every part for a release: small ones, whose number matters.
import type { JsonObject } from '../../src/foundation/schema/json.ts';
import { objectMsOf } from '../../src/drivers/simulated/state/durations.ts';
import { objectName } from '../../src/model/objects/bundleObject.ts';
import { partOf, rankOf } from '../../src/model/objects/objectOrder.ts';
import { sum } from '../harness/measure/statistics.ts';
import type { Pace } from './upgradeClient.ts';

const SHARES: readonly (readonly [kind: string, apiVersion: string, share: number, more: JsonObject])[] = [
  ['ServiceAccount', 'v1', 0.1, {}],
  ['Role', 'rbac.authorization.k8s.io/v1', 0.1, { rules: [] }],
  ['ConfigMap', 'v1', 0.45, { data: { mode: 'on', level: 'info' } }],
  ['Secret', 'v1', 0.1, { data: { key: 'c2VjcmV0' } }],
  ['Service', 'v1', 0.15, { spec: { selector: { app: 'one' }, ports: [{ port: 80 }] } }],
  ['PodDisruptionBudget', 'policy/v1beta1', 0.1, { spec: { minAvailable: 1 } }],
];

export function benchObjects(count: number): readonly JsonObject[] {
  return SHARES.flatMap(([kind, apiVersion, share, more]) =>
    Array.from({ length: Math.round(count * share) }, (_, n) => ({
      apiVersion,
      kind,
      metadata: { name: `${kind.toLowerCase()}-${n + 1}` },
      ...more,
    })),
  );
}

/** Objects of a rank at the same time, rank after rank. */
export function objectsPathMs(objects: readonly JsonObject[], pace: Pace): number {
  const slowest = new Map<string, number>();
  for (const one of objects) {
    const rank = `${partOf(one)} ${rankOf(one)}`;
    slowest.set(rank, Math.max(slowest.get(rank) ?? 0, objectMsOf(objectName(one), pace)));
  }
  return sum([...slowest.values()]);
}

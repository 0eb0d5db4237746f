import { createHash } from 'node:crypto';
import type { CurrentVersion } from '../../model/version.ts';
import { versionName } from '../../model/version.ts';
import type { Inventory, Volumes } from '../../model/workload.ts';
import type { Change, Step } from './plan.ts';

/** Sorted by name: the order within a wave depends on estimates, and a new estimate is not a change. */
function byWorkload(wave: readonly Change[]): readonly unknown[] {
  return wave.map(({ workload, to }) => ({ workload, to })).toSorted((a, b) => a.workload.localeCompare(b.workload));
}

/** Differs as soon as the deployment, or what the job does to it, has changed. The licence counts as neither. */
export function planHash(
  { inventory, from, volumes }: { inventory: Inventory; from: CurrentVersion; volumes: Volumes },
  steps: readonly Step[],
): string {
  const { workloads, hooks, database, volumes: has } = inventory;
  const told = workloads.map(({ name, wave, images, owner }) => ({ name, wave, images, owner }));
  const toDo = steps
    .filter(({ kind }) => kind !== 'licence')
    .map((step) => [step.id, step.kind === 'rollout' ? step.waves.map(byWorkload) : []]);
  const content = { from: versionName(from), told, hooks, database, has, volumes, toDo };
  return createHash('sha256').update(JSON.stringify(content)).digest('hex');
}

import type { DocumentMap } from '../../../foundation/documentStore.ts';
import type { Inventory, Workload } from '../../../model/workload.ts';
import type { DatabaseState } from './databaseState.ts';
import type { Snapshot, WorkloadState } from './documents.ts';
import { DATABASE, DEPLOYMENT, FENCE, SETTINGS, volumeName, workloadName } from './documents.ts';
import { share } from './hash.ts';

/** How many replicas a workload has if nothing says so. */
export function replicasOf(workload: string): number {
  return 1 + Math.floor(3 * share(`replicas of ${workload}`));
}

function workloadState(workload: Workload): WorkloadState {
  const { name, component, module, wave, images, blocked, managers, isSteward, trouble } = workload;
  return {
    name,
    component,
    module,
    wave,
    managers,
    isSteward,
    replicas: replicasOf(name),
    generation: 1,
    desired: images,
    previous: images,
    ...(blocked !== undefined && { blocked }),
    ...(trouble !== undefined && { trouble }),
  };
}

/**
 * Converts an inventory to documents. Leaves out `expectedMs`, which is derived from the settings, and the trouble of the
 * database, which is derived from its state.
 */
function inventoryDocuments({ workloads, volumes, hooks, database }: Inventory, now: number): DocumentMap {
  const pair: DatabaseState | undefined = database && { instances: database.instances, stage: 'well' };
  return new Map<string, unknown>([
    [DEPLOYMENT, { hooks, filled: now }],
    ...workloads.map((workload) => [workloadName(workload.name), workloadState(workload)] as const),
    ...volumes.map((volume) => [volumeName(volume.name), volume] as const),
    ...(pair === undefined ? [] : [[DATABASE, pair] as const]),
  ]);
}

/** Replaces all documents by an inventory, except the fence: a holder that was overtaken must stay overtaken. */
export function seedDocuments({ documents, now }: Snapshot, inventory: Inventory, keepsSettings: boolean): DocumentMap {
  const kept = keepsSettings ? [FENCE, SETTINGS] : [FENCE];
  const removed = [...documents.keys()]
    .filter((name) => !kept.includes(name))
    .map((name) => [name, undefined] as const);
  return new Map([...removed, ...inventoryDocuments(inventory, now)]);
}

import { StewardError, noSuchId, noSuchName } from '../../../foundation/errors.ts';
import { newId } from '../../../foundation/ids.ts';
import type { SimulationDependencies, WorkloadState } from '../state/documents.ts';
import {
  FAULTS,
  FENCE,
  OBJECTS,
  WORKLOADS,
  faultName,
  faultsIn,
  objectDocument,
  objectsIn,
  workloadIn,
  workloadName,
  workloadsIn,
} from '../state/documents.ts';
import type { InjectedFault, NewFault } from '../state/injectedFault.ts';
import type { ObjectState } from '../state/objectState.ts';
import { isNeverReady } from '../state/objectState.ts';
import { inapplicableFields, isSpent } from '../state/injectedFault.ts';

export type FaultStatus = InjectedFault & { readonly isSpent: boolean };

/** A rollout that a removed `slow` fault held up starts again now. */
function resumedRollout(workload: WorkloadState, removed: ReadonlySet<string>, now: number): WorkloadState | undefined {
  const { rollout } = workload;
  if (rollout?.fault?.kind !== 'slow' || !removed.has(rollout.fault.id)) return undefined;
  return { ...workload, rollout: { begun: now, durationMs: rollout.durationMs } };
}

/** A change of an object that a removed fault kept from being ready goes on now. */
function resumedObject(object: ObjectState, removed: ReadonlySet<string>, now: number): ObjectState | undefined {
  const { change } = object;
  if (change?.fault === undefined || !isNeverReady(change) || !removed.has(change.fault.id)) return undefined;
  const { fault: _, ...kept } = change;
  return { ...object, change: { ...kept, begun: now } };
}

/** `Kind/name`: an object of a bundle, which need not exist yet. */
const OBJECT_NAME = /^[A-Z][A-Za-z\d]*(?:\.[a-z\d.-]+)?\/\S+$/;

/** Creates the verbs that inject, list and remove faults. */
export function createFaultInjection({ documents, clock }: SimulationDependencies) {
  return {
    async faults(): Promise<readonly FaultStatus[]> {
      const [found, now] = [await documents.read(FAULTS), clock.now()];
      return faultsIn(found).map((fault) => ({ ...fault, isSpent: isSpent(fault, now) }));
    },

    async addFault(fault: NewFault): Promise<FaultStatus> {
      const { workload } = fault;
      const details = [...inapplicableFields(fault)];
      const isKnown = async (name: string): Promise<boolean> =>
        OBJECT_NAME.test(name) || workloadIn(await documents.read(workloadName(name)), name) !== undefined;
      if (workload !== undefined && !(await isKnown(workload)))
        details.push(
          `workload: must be a workload of the simulated deployment, or an object such as ConfigMap/web, not "${workload}"`,
        );
      if (details.length > 0)
        throw new StewardError('invalid', 'The fault is invalid. Nothing was changed.', { details });
      const id = newId();
      let added: InjectedFault = { ...fault, id, added: clock.now(), struck: 0, order: 1 };
      await documents.change([FENCE, FAULTS], (found) => {
        added = { ...added, order: (faultsIn(found).at(-1)?.order ?? 0) + 1 };
        return new Map([[faultName(id), added]]);
      });
      return { ...added, isSpent: false };
    },

    /** Reverts a workload to the images from before its last rollout, as another controller would. */
    async revert(workload: string): Promise<void> {
      const name = workloadName(workload);
      await documents.change([FENCE, name], (found) => {
        const state = workloadIn(found, workload);
        if (state === undefined) throw noSuchName('workload', workload);
        const { rollout: _, ...kept } = state;
        return new Map([[name, { ...kept, generation: kept.generation + 1, desired: kept.previous }]]);
      });
    },

    /** Removes one fault, or all without an id, and returns how many it removed. */
    async removeFaults(id: string | undefined): Promise<number> {
      let count = 0;
      await documents.change([FENCE, FAULTS, OBJECTS, WORKLOADS], (found) => {
        const ids = faultsIn(found).map((fault) => fault.id);
        const removed = new Set(id === undefined ? ids : ids.filter((one) => one === id));
        count = removed.size;
        const resumed = workloadsIn(found).flatMap((workload) => resumedRollout(workload, removed, clock.now()) ?? []);
        const objects = objectsIn(found).flatMap((object) => resumedObject(object, removed, clock.now()) ?? []);
        return new Map<string, unknown>([
          ...objects.map((object) => [objectDocument(object.name), object] as const),
          ...[...removed].map((one) => [faultName(one), undefined] as const),
          ...resumed.map((workload) => [workloadName(workload.name), workload] as const),
        ]);
      });
      if (count === 0 && id !== undefined) throw noSuchId('fault', id);
      return count;
    },
  };
}

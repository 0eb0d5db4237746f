import type { Clock } from '../../../foundation/clock.ts';
import type { DocumentStore } from '../../../foundation/documentStore.ts';
import { StewardError } from '../../../foundation/errors.ts';
import { newId } from '../../../foundation/ids.ts';
import type { NewFault, InjectedFault } from './injectedFault.ts';
import { isSpent, inapplicableFields } from './injectedFault.ts';
import type { WorkloadState } from '../state/documents.ts';
import {
  FAULTS,
  FENCE,
  WORKLOADS,
  faultName,
  faultsIn,
  workloadIn,
  workloadName,
  workloadsIn,
} from '../state/documents.ts';

export type FaultStatus = InjectedFault & { readonly isSpent: boolean };

function refuseInvalid(fault: NewFault, isThere: boolean): void {
  const details = inapplicableFields(fault);
  const unknown = isThere ? [] : [`workload: there is no workload ${fault.workload ?? ''} in the simulated deployment`];
  if (details.length + unknown.length > 0)
    throw new StewardError('invalid', 'The fault cannot be put in.', { details: [...details, ...unknown] });
}

/** A rollout that a removed fault was holding up goes on from now. */
function resumedRollout(workload: WorkloadState, gone: ReadonlySet<string>, now: number): WorkloadState | undefined {
  const { rollout } = workload;
  if (rollout?.fault?.kind !== 'slow' || !gone.has(rollout.fault.id)) return undefined;
  return { ...workload, rollout: { begun: now, durationMs: rollout.durationMs } };
}

/** What goes wrong in a simulated deployment is put in, listed and removed here. */
export function createFaultInjection({
  documents,
  clock,
}: {
  readonly documents: DocumentStore;
  readonly clock: Clock;
}) {
  return {
    async faults(): Promise<readonly FaultStatus[]> {
      const [found, now] = [await documents.read(FAULTS), clock.now()];
      return faultsIn(found).map((fault) => ({ ...fault, isSpent: isSpent(fault, now) }));
    },

    async addFault(fault: NewFault): Promise<FaultStatus> {
      const { workload } = fault;
      const isThere =
        workload === undefined || workloadIn(await documents.read(workloadName(workload)), workload) !== undefined;
      refuseInvalid(fault, isThere);
      const id = newId();
      let added: InjectedFault = { ...fault, id, added: clock.now(), struck: 0, order: 1 };
      await documents.change([FENCE, FAULTS], (found) => {
        added = { ...added, order: (faultsIn(found).at(-1)?.order ?? 0) + 1 };
        return new Map([[faultName(id), added]]);
      });
      return { ...added, isSpent: false };
    },

    /** One, or all where none is named; answers how many there were. */
    async removeFaults(id: string | undefined): Promise<number> {
      let count = 0;
      await documents.change([FENCE, FAULTS, WORKLOADS], (found) => {
        const gone = new Set(
          faultsIn(found)
            .map((fault) => fault.id)
            .filter((one) => id === undefined || one === id),
        );
        count = gone.size;
        const freed = workloadsIn(found).flatMap((workload) => resumedRollout(workload, gone, clock.now()) ?? []);
        return new Map<string, unknown>([
          ...[...gone].map((one) => [faultName(one), undefined] as const),
          ...freed.map((workload) => [workloadName(workload.name), workload] as const),
        ]);
      });
      if (count === 0 && id !== undefined) throw new StewardError('notFound', `There is no fault ${id}.`);
      return count;
    },
  };
}

import type { DocumentMap } from '../../../foundation/documentStore.ts';
import type { SimulationDependencies } from '../state/documents.ts';
import { FAULTS, faultName, faultsIn } from '../state/documents.ts';
import { apiFault } from './injectedFault.ts';

/** Reads documents together with the faults, and throws while an `apiErrors` fault is active, as a cluster's API would. */
export function createApiReader({ documents, clock }: SimulationDependencies) {
  return async function read(...prefixes: readonly string[]): Promise<DocumentMap> {
    const found = await documents.read(FAULTS, ...prefixes);
    const now = clock.now();
    const fault = apiFault(faultsIn(found), now);
    if (fault === undefined) return found;
    const name = faultName(fault.id);
    if (fault.since === undefined)
      await documents.change([name], (again) =>
        again.has(name) ? new Map([[name, { ...fault, since: now, struck: 1 }]]) : new Map(),
      );
    throw new Error(`the API server answered 503 Service Unavailable (simulated, fault ${fault.id})`);
  };
}

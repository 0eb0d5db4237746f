import type { Clock } from '../../../foundation/clock.ts';
import type { DocumentStore, DocumentMap } from '../../../foundation/documentStore.ts';
import { apiFault } from './injectedFault.ts';
import { FAULTS, faultName, faultsIn } from '../state/documents.ts';

/** Reads documents, and the faults with them in the same look; throws while a fault keeps the API away. */
export function createApiReader({ documents, clock }: { readonly documents: DocumentStore; readonly clock: Clock }) {
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

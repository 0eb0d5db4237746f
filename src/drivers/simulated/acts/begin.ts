import type { Act, Begun, Deployment } from '../../../upgrades/ports/deployment.ts';
import type { createApiReader } from '../faults/apiFaults.ts';
import { refuseForbidden } from '../faults/apiFaults.ts';
import type { SimulationDependencies } from '../state/documents.ts';
import { activeFaults } from '../state/documents.ts';
import { beginAct, documentsToBegin } from './beginAct.ts';

type Read = ReturnType<typeof createApiReader>;

/** Begins acts in one transaction each. */
export function createBegin({ documents, clock }: SimulationDependencies, read: Read): Deployment['begin'] {
  return async (act: Act, fence, signal) => {
    refuseForbidden(activeFaults({ documents: await read(signal), now: clock.now() }));
    let begun: Begun = { kind: 'overtaken' };
    await documents.change(documentsToBegin(act), (found) => {
      const result = beginAct(act, fence, { documents: found, now: clock.now() });
      begun = result.begun;
      return result.changes;
    });
    return begun;
  };
}

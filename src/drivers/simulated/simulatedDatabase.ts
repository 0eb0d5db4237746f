import type { Database } from '../../upgrades/ports/database.ts';
import { createBegin } from './acts/begin.ts';
import { documentsToObserve, observeAct } from './acts/observeAct.ts';
import { createApiReader } from './faults/apiFaults.ts';
import { DESCRIPTION_DOCUMENTS, descriptionOf } from './inventory.ts';
import type { SimulationDependencies } from './state/documents.ts';

/** Creates the database of the simulated deployment. It shares the fence and the faults of the deployment. */
export function createSimulatedDatabase(dependencies: SimulationDependencies): Database {
  const { clock } = dependencies;
  const read = createApiReader(dependencies);
  return {
    describe: async (signal) => descriptionOf(await read(signal, ...DESCRIPTION_DOCUMENTS), clock.now()),

    // The workloads raise the fence that both have.
    takeOver: async () => undefined,

    begin: createBegin(dependencies, read),

    async observe(acts, signal) {
      const found = await read(signal, ...documentsToObserve(acts));
      const now = clock.now();
      return acts.map((act) => observeAct(act, { documents: found, now }));
    },
  };
}

import type { DocumentMap } from '../../foundation/documentStore.ts';
import type { Begun, Deployment } from '../../upgrades/ports/deployment.ts';
import { beginAct, documentsToBegin } from './acts/beginAct.ts';
import { documentsToObserve, observeAct } from './acts/observeAct.ts';
import { createFaultInjection } from './faults/faultInjection.ts';
import { findImage, registryFaults } from './imageRegistry.ts';
import { INVENTORY_DOCUMENTS, inventoryOf } from './inventory.ts';
import { preflightChecks } from './preflightChecks.ts';
import { createSimulationControls } from './simulationControls.ts';
import type { SimulationDependencies } from './state/documents.ts';
import {
  FAULTS,
  FENCE,
  MODE,
  WORKLOADS,
  activeFaults,
  faultName,
  faultsIn,
  fenceIn,
  workloadsIn,
} from './state/documents.ts';

/** Reads documents together with the faults, and throws while an `apiErrors` fault is active, as a cluster's API would. */
function createApiReader({ documents, clock }: SimulationDependencies) {
  return async function read(...prefixes: readonly string[]): Promise<DocumentMap> {
    const found = await documents.read(FAULTS, ...prefixes);
    const now = clock.now();
    const fault = activeFaults({ documents: found, now }).find(({ kind }) => kind === 'apiErrors');
    if (fault === undefined) return found;
    const name = faultName(fault.id);
    if (fault.since === undefined)
      await documents.change([name], (again) =>
        again.has(name) ? new Map([[name, { ...fault, since: now, struck: 1 }]]) : new Map(),
      );
    throw new Error(`the API server answered 503 Service Unavailable (simulated, fault ${fault.id})`);
  };
}

export type SimulatedDeployment = Deployment &
  ReturnType<typeof createSimulationControls> &
  ReturnType<typeof createFaultInjection>;

/**
 * Creates a deployment that exists only in the store. Nothing runs between two calls: an act is written with the time
 * at which it began, and its status is derived from the clock. So all replicas see the same, also after a restart.
 */
export function createSimulatedDeployment(dependencies: SimulationDependencies): SimulatedDeployment {
  const { documents, clock } = dependencies;
  const read = createApiReader(dependencies);
  return {
    ...createSimulationControls(dependencies),
    ...createFaultInjection(dependencies),
    isSimulated: true,

    inventory: async () => inventoryOf(await read(...INVENTORY_DOCUMENTS), clock.now()),

    async findImages(images) {
      const now = clock.now();
      const faults = registryFaults(activeFaults({ documents: await read(), now }));
      const workloads = faults.length === 0 ? [] : workloadsIn(await documents.read(WORKLOADS));
      return images.map((image) => findImage(image, { faults, workloads, now }));
    },

    diagnose: async () => preflightChecks(faultsIn(await read())),

    async takeOver(fence) {
      await read();
      await documents.change([FENCE], (found) => (fence > fenceIn(found) ? new Map([[FENCE, { fence }]]) : new Map()));
    },

    async begin(act, fence) {
      await read();
      let begun: Begun = { kind: 'overtaken' };
      await documents.change(documentsToBegin(act), (found) => {
        const result = beginAct(act, fence, { documents: found, now: clock.now() });
        begun = result.begun;
        return result.changes;
      });
      return begun;
    },

    async observe(acts) {
      const found = await read(...documentsToObserve(acts));
      const now = clock.now();
      return acts.map((act) => observeAct(act, { documents: found, now }));
    },

    async showMode(isReadOnly, message) {
      await read();
      await documents.change([], () => new Map([[MODE, { isReadOnly, message }]]));
    },
  };
}

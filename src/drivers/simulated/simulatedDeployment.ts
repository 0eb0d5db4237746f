import type { Clock } from '../../foundation/clock.ts';
import type { DocumentStore } from '../../foundation/documentStore.ts';
import type { Begun, Deployment } from '../../upgrades/ports/deployment.ts';
import { beginWithFence, documentsToBegin } from './acts/beginAct.ts';
import { createSimulationControls } from './simulationControls.ts';
import { preflightChecks } from './preflightChecks.ts';
import { createFaultInjection } from './faults/faultInjection.ts';
import { INVENTORY_DOCUMENTS, inventoryOf } from './inventory.ts';
import { documentsToObserve, observeAct } from './acts/observeAct.ts';
import { createApiReader } from './faults/apiOutage.ts';
import { findImage, registryFaults } from './imageRegistry.ts';
import { FENCE, MODE, WORKLOADS, faultsIn, fenceIn, workloadsIn } from './state/documents.ts';

export type SimulatedDeployment = Deployment &
  ReturnType<typeof createSimulationControls> &
  ReturnType<typeof createFaultInjection>;

/**
 * A deployment that there is only in the store. Nothing runs and nothing is remembered between two calls: what was begun
 * is written with its time, and where it stands is reckoned from the clock, so every replica and every restart sees the same.
 */
export function createSimulatedDeployment(needs: {
  readonly documents: DocumentStore;
  readonly clock: Clock;
}): SimulatedDeployment {
  const { documents, clock } = needs;
  const read = createApiReader(needs);
  return {
    ...createSimulationControls(needs),
    ...createFaultInjection(needs),
    isSimulated: true,

    inventory: async () => inventoryOf(await read(...INVENTORY_DOCUMENTS), clock.now()),

    async findImages(images) {
      const now = clock.now();
      const faults = registryFaults(faultsIn(await read()), now);
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
        const beginning = beginWithFence(act, fence, { documents: found, now: clock.now() });
        begun = beginning.begun;
        return beginning.changes;
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

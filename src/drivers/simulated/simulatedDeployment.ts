import type { Clock } from '../../foundation/clock.ts';
import type { DocumentStore } from '../../foundation/documentStore.ts';
import type { Begun, Deployment } from '../../upgrades/ports/deployment.ts';
import { begin, documentsOf } from './acts/beginAct.ts';
import { createDemonstration } from './simulationControls.ts';
import { diagnosis } from './preflightChecks.ts';
import { createFaultBox } from './faults/faultInjection.ts';
import { INVENTORY_DOCUMENTS, inventoryIn } from './inventory.ts';
import { documentsOfAll, observed } from './acts/observeAct.ts';
import { createReading } from './faults/apiOutage.ts';
import { findingOf, registryFaults } from './imageRegistry.ts';
import { FENCE, MODE, WORKLOADS, faultsIn, fenceIn, workloadsIn } from './state/documents.ts';

export type SimulatedDeployment = Deployment &
  ReturnType<typeof createDemonstration> &
  ReturnType<typeof createFaultBox>;

/**
 * A deployment that there is only in the store. Nothing runs and nothing is remembered between two calls: what was begun
 * is written with its time, and where it stands is reckoned from the clock, so every replica and every restart sees the same.
 */
export function createSimulatedDeployment(needs: {
  readonly documents: DocumentStore;
  readonly clock: Clock;
}): SimulatedDeployment {
  const { documents, clock } = needs;
  const read = createReading(needs);
  return {
    ...createDemonstration(needs),
    ...createFaultBox(needs),
    isSimulated: true,

    inventory: async () => inventoryIn(await read(...INVENTORY_DOCUMENTS), clock.now()),

    async findImages(images) {
      const now = clock.now();
      const faults = registryFaults(faultsIn(await read()), now);
      const workloads = faults.length === 0 ? [] : workloadsIn(await documents.read(WORKLOADS));
      return images.map((image) => findingOf(image, { faults, workloads, now }));
    },

    diagnose: async () => diagnosis(faultsIn(await read())),

    async takeOver(fence) {
      await read();
      await documents.change([FENCE], (found) => (fence > fenceIn(found) ? new Map([[FENCE, { fence }]]) : new Map()));
    },

    async begin(act, fence) {
      await read();
      let begun: Begun = { kind: 'overtaken' };
      await documents.change(documentsOf(act), (found) => {
        const beginning = begin(act, fence, { found, now: clock.now() });
        begun = beginning.begun;
        return beginning.changes;
      });
      return begun;
    },

    async observe(acts) {
      const found = await read(...documentsOfAll(acts));
      const now = clock.now();
      return acts.map((act) => observed(act, { found, now }));
    },

    async showMode(isReadOnly, message) {
      await read();
      await documents.change([], () => new Map([[MODE, { isReadOnly, message }]]));
    },
  };
}

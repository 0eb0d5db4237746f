import type { Failure } from '../../model/failure.ts';
import { DeploymentRefusal } from '../../model/failure.ts';
import type { Abandoned, Begun, Deployment } from '../../upgrades/ports/deployment.ts';
import type { Database } from '../../upgrades/ports/database.ts';
import type { WorkloadDeployment } from '../joinDatabase.ts';
import { joinDatabase } from '../joinDatabase.ts';
import { abandonHook } from './acts/abandonHook.ts';
import { beginAct, documentsToBegin } from './acts/beginAct.ts';
import { COMPARED_DOCUMENTS, compareObjects } from './acts/objects/compareObjects.ts';
import { documentsToObserve, observeAct } from './acts/observeAct.ts';
import { createApiReader, forbiddenFailure } from './faults/apiFaults.ts';
import { createFaultInjection } from './faults/faultInjection.ts';
import { withoutRemoved } from './state/injectedFault.ts';
import { findImage, registryFaults } from './imageRegistry.ts';
import { DESCRIPTION_DOCUMENTS, INVENTORY_DOCUMENTS, descriptionOf, inventoryOf } from './inventory.ts';
import { createObjectControls } from './objectControls.ts';
import { preflightChecks } from './preflightChecks.ts';
import { createSimulationControls } from './simulationControls.ts';
import type { SimulationDependencies } from './state/documents.ts';
import {
  ALL,
  FAULTS,
  FENCE,
  MODE,
  WORKLOADS,
  activeFaults,
  faultsIn,
  fenceIn,
  modeIn,
  workloadsIn,
} from './state/documents.ts';

export type SimulatedDeployment = Deployment &
  ReturnType<typeof createSimulationControls> &
  ReturnType<typeof createObjectControls> &
  ReturnType<typeof createFaultInjection>;

type ReadDocuments = ReturnType<typeof createApiReader>;

/** How acts on the workloads and on the database are begun and observed: both have the same fence and the same faults. */
function createSimulatedActs({ documents, clock }: SimulationDependencies, read: ReadDocuments) {
  return {
    async begin(act, fence, signal) {
      const failure = forbiddenFailure(activeFaults({ documents: await read(signal), now: clock.now() }));
      if (failure !== undefined) throw new DeploymentRefusal(failure);
      let begun: Begun = { kind: 'overtaken' };
      await documents.change(documentsToBegin(act), (found) => {
        const result = beginAct(act, fence, { documents: found, now: clock.now() });
        begun = result.begun;
        return result.changes;
      });
      return begun;
    },

    async observe(acts, signal) {
      const found = await read(signal, ...documentsToObserve(acts));
      const now = clock.now();
      return acts.map((act) => observeAct(act, { documents: found, now }));
    },
  } satisfies Pick<Deployment, 'begin' | 'observe'>;
}

function withoutBundles(image: string): Failure {
  return {
    reason: `The simulated registry has no bundles of objects, and so not ${image}.`,
    lines: [],
    advice: 'Import the manifest again, with the file of the objects as objectsFile.',
  };
}

function createSimulatedWorkloads(
  { documents, clock }: SimulationDependencies,
  read: ReadDocuments,
): Omit<WorkloadDeployment, 'begin' | 'observe'> {
  return {
    isSimulated: true,

    referenceFor: (image) => image,

    inventory: async (signal) => inventoryOf(await read(signal, ...INVENTORY_DOCUMENTS), clock.now()),

    async findImages(images, signal) {
      const now = clock.now();
      const faults = registryFaults(activeFaults({ documents: await read(signal), now }));
      const workloads = faults.length === 0 ? [] : workloadsIn(await documents.read(WORKLOADS));
      return images.map((image) => findImage(image, { faults, workloads, now }));
    },

    async fetchObjects(image, signal) {
      await read(signal);
      throw new DeploymentRefusal(withoutBundles(image));
    },

    compareObjects: async (wanted, signal) =>
      compareObjects(wanted, { documents: await read(signal, ...COMPARED_DOCUMENTS), now: clock.now() }),

    diagnostics: preflightChecks(async (signal) => faultsIn(await read(signal))),

    // Faults are looked at where they are kept, also while one of them keeps the API from answering.
    withoutDone: async (failure) => withoutRemoved(failure, faultsIn(await documents.read(FAULTS))),

    async takeOver(fence, signal) {
      await read(signal);
      await documents.change([FENCE], (found) => (fence > fenceIn(found) ? new Map([[FENCE, { fence }]]) : new Map()));
    },

    async rehearse(acts, signal) {
      const found = await read(signal, ALL);
      const snapshot = { documents: found, now: clock.now() };
      const forbidden = forbiddenFailure(activeFaults(snapshot));
      const fence = fenceIn(found);
      return acts.map((act) => {
        const { begun } = beginAct(act, fence, snapshot);
        return forbidden ?? (begun.kind === 'refused' ? begun.failure : undefined);
      });
    },

    async abandon(act, fence, signal) {
      await read(signal);
      let abandoned: Abandoned = { kind: 'left', reason: 'another server has taken over the job' };
      await documents.change(documentsToBegin(act), (found) => {
        const result = abandonHook(act, fence, { documents: found, now: clock.now() });
        abandoned = result.abandoned;
        return result.changes;
      });
      return abandoned;
    },

    async showMode({ isReadOnly, message, revision }, signal) {
      await read(signal);
      await documents.change([MODE], (found) =>
        modeIn(found).revision > revision ? new Map() : new Map([[MODE, { isReadOnly, message, revision }]]),
      );
    },

    rehearseMode: async (signal) => void (await read(signal)),

    // The job has the same messages, and a simulated deployment has no other place for them.
    record: async () => undefined,
  };
}

/**
 * Creates a deployment that exists only in the store. Nothing runs between two calls: an act is written with the time
 * at which it began, and its status is derived from the clock. So all replicas see the same, also after a restart.
 */
export function createSimulatedDeployment(dependencies: SimulationDependencies): SimulatedDeployment {
  const read = createApiReader(dependencies);
  const acts = createSimulatedActs(dependencies, read);
  const database: Database = {
    describe: async (signal) => descriptionOf(await read(signal, ...DESCRIPTION_DOCUMENTS), dependencies.clock.now()),
    // The workloads raise the fence that both have.
    takeOver: async () => undefined,
    ...acts,
  };
  return {
    ...createSimulationControls(dependencies),
    ...createObjectControls(dependencies),
    ...createFaultInjection(dependencies),
    ...joinDatabase({ ...createSimulatedWorkloads(dependencies, read), ...acts }, database),
  };
}

import type { DocumentMap } from '../../foundation/documentStore.ts';
import type { Inventory } from '../../model/workload.ts';
import { presentObject } from './acts/objects/presentObject.ts';
import { rolloutStatus } from './acts/rollout.ts';
import { descriptionOf, inventoryOf } from './inventory.ts';
import type { SimulationDependencies, WorkloadState } from './state/documents.ts';
import { ALL, DEPLOYMENT, FENCE, SETTINGS } from './state/documents.ts';
import { fenceIn, licenceIn, modeIn, objectsIn, settingsIn, workloadsIn } from './state/documents.ts';
import { seedDocuments } from './state/seed.ts';
import type { SimulatedSettings } from './state/durations.ts';

/** The demo's interface calls the failure of a rollout its fault. */
function rolloutView(workload: WorkloadState, now: number): object | undefined {
  const { observation } = rolloutStatus(workload, now);
  if (observation.state === 'done') return undefined;
  return observation.state === 'failed' ? { state: 'failed', fault: observation.failure } : observation;
}

function objectViews(documents: DocumentMap, now: number) {
  return objectsIn(documents).flatMap(({ name }) => {
    const { live, isOurs, changedBy } = presentObject(documents, name, now);
    return live === undefined ? [] : [{ object: name, isOurs, changedBy: changedBy ?? null }];
  });
}

/** Creates the verbs that only a simulated deployment has: they show and replace its content, and set its pace. */
export function createSimulationControls({ documents, clock }: SimulationDependencies) {
  const fill = (inventory: Inventory, keepsSettings: boolean): Promise<void> =>
    documents.change([FENCE, ALL], (found) =>
      seedDocuments({ documents: found, now: clock.now() }, inventory, keepsSettings),
    );
  return {
    async view() {
      const [found, now] = [await documents.read(ALL), clock.now()];
      const licence = licenceIn(found);
      const [inventory, database] = [inventoryOf(found, now), descriptionOf(found, now)];
      const { isReadOnly, message } = modeIn(found);
      const rollouts = workloadsIn(found).map((workload) => [workload.name, rolloutView(workload, now)] as const);
      return {
        ...inventory,
        objects: objectViews(found, now),
        expectedMs: { ...inventory.expectedMs, ...database?.expectedMs },
        database: database && { instances: database.instances, trouble: database.trouble },
        simulated: true as const,
        settings: settingsIn(found),
        mode: { isReadOnly, message },
        licence: licence && { at: licence.at, length: licence.content.length },
        fence: fenceIn(found),
        rollouts: Object.fromEntries(rollouts.filter(([, rollout]) => rollout !== undefined)),
      };
    },

    /** Replaces everything except the settings. */
    fill: (inventory: Inventory): Promise<void> => fill(inventory, true),

    /** Replaces everything, including the settings. */
    startOver: (inventory: Inventory): Promise<void> => fill(inventory, false),

    /** Fills the deployment on the first start only: it outlives the process. */
    async fillIfEmpty(inventory: Inventory): Promise<void> {
      if ((await documents.read(DEPLOYMENT)).size > 0) return;
      await documents.change([FENCE, ALL], (found) =>
        found.has(DEPLOYMENT) ? new Map() : seedDocuments({ documents: found, now: clock.now() }, inventory, true),
      );
    },

    settings: async (): Promise<SimulatedSettings> => settingsIn(await documents.read(SETTINGS)),

    async changeSettings(change: { readonly [K in keyof SimulatedSettings]?: number | undefined }) {
      const given = Object.entries(change).filter(([, value]) => value !== undefined);
      await documents.change(
        [SETTINGS],
        (found) => new Map([[SETTINGS, { ...settingsIn(found), ...Object.fromEntries(given) }]]),
      );
      return settingsIn(await documents.read(SETTINGS));
    },
  };
}

import type { Clock } from '../../foundation/clock.ts';
import type { DocumentStore } from '../../foundation/documentStore.ts';
import type { Inventory } from '../../model/workload.ts';
import { seedDocuments } from './state/seed.ts';
import { inventoryOf } from './inventory.ts';
import { rolloutStatus } from './acts/rollout.ts';
import {
  ALL,
  DEPLOYMENT,
  FENCE,
  MODE,
  SETTINGS,
  fenceIn,
  licenceIn,
  settingsIn,
  workloadsIn,
} from './state/documents.ts';
import type { SimulatedSettings } from './state/timing.ts';

/** What only a simulated deployment can be told: what is in it, and how fast it is. */
export function createSimulationControls({
  documents,
  clock,
}: {
  readonly documents: DocumentStore;
  readonly clock: Clock;
}) {
  const fill = (inventory: Inventory, keepsSettings: boolean): Promise<void> =>
    documents.change([FENCE, ALL], (found) => seedDocuments(found, inventory, { now: clock.now(), keepsSettings }));
  return {
    async view() {
      const [found, now] = [await documents.read(ALL), clock.now()];
      const licence = licenceIn(found);
      const rollouts = workloadsIn(found).map(
        (workload) => [workload.name, rolloutStatus(workload, now).observation] as const,
      );
      return {
        ...inventoryOf(found, now),
        simulated: true as const,
        settings: settingsIn(found),
        mode: (found.get(MODE) as { isReadOnly: boolean; message: string } | undefined) ?? {
          isReadOnly: false,
          message: '',
        },
        licence: licence && { at: licence.at, length: licence.content.length },
        fence: fenceIn(found),
        rollouts: Object.fromEntries(rollouts.filter(([, seen]) => seen.state !== 'done')),
      };
    },

    /** In place of all that is there but the settings. */
    fill: (inventory: Inventory): Promise<void> => fill(inventory, true),

    /** In place of all that is there. */
    startOver: (inventory: Inventory): Promise<void> => fill(inventory, false),

    /** Only where there is nothing yet: a deployment outlives the process. */
    async fillIfEmpty(inventory: Inventory): Promise<void> {
      if ((await documents.read(DEPLOYMENT)).size > 0) return;
      await documents.change([FENCE, ALL], (found) =>
        found.has(DEPLOYMENT) ? new Map() : seedDocuments(found, inventory, { now: clock.now(), keepsSettings: true }),
      );
    },

    settings: async (): Promise<SimulatedSettings> => settingsIn(await documents.read(SETTINGS)),

    async changeSettings(change: { readonly [K in keyof SimulatedSettings]?: number | undefined }) {
      const said = Object.entries(change).filter(([, value]) => value !== undefined);
      await documents.change(
        [SETTINGS],
        (found) => new Map([[SETTINGS, { ...settingsIn(found), ...Object.fromEntries(said) }]]),
      );
      return settingsIn(await documents.read(SETTINGS));
    },
  };
}

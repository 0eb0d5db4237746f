import type { Clock } from '../../foundation/clock.ts';
import type { DocumentStore } from '../../foundation/documentStore.ts';
import type { Inventory } from '../../model/workload.ts';
import { filled } from './state/seed.ts';
import { inventoryIn } from './inventory.ts';
import { standingOf } from './acts/rollout.ts';
import { ALL, DEPLOYMENT, FENCE, MODE, SETTINGS, fenceIn, licenceIn, settingsIn, workloadsIn } from './state/documents.ts';
import type { SimulatedSettings } from './state/timing.ts';

/** What only a simulated deployment can be told: what is in it, and how fast it is. */
export function createDemonstration({
  documents,
  clock,
}: {
  readonly documents: DocumentStore;
  readonly clock: Clock;
}) {
  const fill = (inventory: Inventory, keepsSettings: boolean): Promise<void> =>
    documents.change([FENCE, ALL], (found) => filled(found, inventory, { now: clock.now(), keepsSettings }));
  return {
    async view() {
      const [found, now] = [await documents.read(ALL), clock.now()];
      const licence = licenceIn(found);
      const rollouts = workloadsIn(found).map((workload) => [workload.name, standingOf(workload, now).seen] as const);
      return {
        ...inventoryIn(found, now),
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
        found.has(DEPLOYMENT) ? new Map() : filled(found, inventory, { now: clock.now(), keepsSettings: true }),
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

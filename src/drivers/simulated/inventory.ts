import type { DocumentMap } from '../../foundation/documentStore.ts';
import { HOOKS } from '../../model/hook.ts';
import type { Inventory, Workload } from '../../model/workload.ts';
import { DATABASE_PHASES } from '../../model/workload.ts';
import type { DatabaseDescription } from '../../upgrades/ports/database.ts';
import { currentDatabase, databaseTrouble, downInstances } from './acts/database.ts';
import { existingWorkload } from './acts/objects/presentObject.ts';
import { rolloutStatus } from './acts/rollout.ts';
import type { InjectedFault } from './state/injectedFault.ts';
import { OTHER_MANAGER, conflictFault, faultRemedy } from './state/injectedFault.ts';
import type { WorkloadState } from './state/documents.ts';
import {
  DATABASE,
  DEPLOYMENT,
  SETTINGS,
  VOLUMES,
  WORKLOADS,
  activeFaults,
  databaseIn,
  hooksIn,
  settingsIn,
  volumesIn,
  workloadsIn,
} from './state/documents.ts';
import type { SimulatedSettings } from './state/durations.ts';
import { phaseMsOf, rolloutMsOf } from './state/durations.ts';

export const INVENTORY_DOCUMENTS = [DEPLOYMENT, SETTINGS, WORKLOADS, VOLUMES] as const;

interface InventoryContext {
  readonly now: number;
  readonly settings: SimulatedSettings;
  readonly faults: readonly InjectedFault[];
}

function workloadView(state: WorkloadState, { now, settings, faults }: InventoryContext): Workload {
  const { name, component, module, wave, blocked, managers, isSteward } = state;
  const { desired, running, observation, progress } = rolloutStatus(state, now);
  const conflict = conflictFault(faults, name);
  return {
    name,
    component,
    module,
    wave,
    images: desired.map(({ container, image }) => {
      const checksum = running.find((one) => one.container === container)?.checksum;
      return { container, image, checksum };
    }),
    rollout: progress,
    trouble: observation.state === 'failed' ? observation.failure.reason : state.trouble,
    blocked,
    managers: conflict ? [...managers, { ...OTHER_MANAGER, remedy: faultRemedy(conflict.id) }] : managers,
    isSteward,
    expectedMs: rolloutMsOf(name, settings),
  };
}

/** Everything but the database. */
export function inventoryOf(documents: DocumentMap, now: number): Omit<Inventory, 'database'> {
  const context: InventoryContext = { now, settings: settingsIn(documents), faults: activeFaults({ documents, now }) };
  return {
    workloads: workloadsIn(documents)
      .filter((state) => existingWorkload(state, now) !== undefined)
      .map((state) => workloadView(state, context)),
    volumes: volumesIn(documents),
    hooks: hooksIn(documents),
    expectedMs: Object.fromEntries(HOOKS.map((hook) => [hook, context.settings.hookMs])),
  };
}

/** A plan never contains `restore`, so no duration is expected for it. */
function phasesMs(settings: SimulatedSettings): Inventory['expectedMs'] {
  const phases = DATABASE_PHASES.filter((phase) => phase !== 'restore');
  return Object.fromEntries(phases.map((phase) => [phase, phaseMsOf(phase, settings)]));
}

export const DESCRIPTION_DOCUMENTS = [DATABASE, SETTINGS] as const;

export function descriptionOf(documents: DocumentMap, now: number): DatabaseDescription | undefined {
  const state = databaseIn(documents);
  if (state === undefined) return undefined;
  const down = downInstances(state, now);
  return {
    instances: currentDatabase(state, now).instances,
    trouble: databaseTrouble(state, now),
    ...(down.length > 0 && { down }),
    expectedMs: phasesMs(settingsIn(documents)),
  };
}

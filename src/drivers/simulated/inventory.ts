import type { DocumentMap } from '../../foundation/documentStore.ts';
import type { Inventory, Workload } from '../../model/workload.ts';
import { databaseTrouble, currentDatabase } from './acts/database.ts';
import type { InjectedFault } from './faults/injectedFault.ts';
import { OTHER_MANAGER, conflictFault } from './faults/injectedFault.ts';
import { rolloutStatus } from './acts/rollout.ts';
import type { WorkloadState } from './state/documents.ts';
import { DATABASE, DEPLOYMENT, SETTINGS, VOLUMES, WORKLOADS } from './state/documents.ts';
import { databaseIn, faultsIn, hooksIn, settingsIn, volumesIn, workloadsIn } from './state/documents.ts';
import type { SimulatedSettings } from './state/timing.ts';
import { phaseMsOf, rolloutMsOf } from './state/timing.ts';

export const INVENTORY_DOCUMENTS = [DEPLOYMENT, SETTINGS, WORKLOADS, VOLUMES, DATABASE] as const;

interface InventoryContext {
  readonly now: number;
  readonly settings: SimulatedSettings;
  readonly faults: readonly InjectedFault[];
}

function workloadView(state: WorkloadState, { now, settings, faults }: InventoryContext): Workload {
  const { name, component, module, wave } = state;
  const { desired: told, running, observation: seen } = rolloutStatus(state, now);
  const isElsewhere = state.owner !== undefined || conflictFault(faults, name, now) !== undefined;
  return {
    name,
    component,
    module,
    wave,
    images: told.map(({ container, image }) => {
      const checksum = running.find((one) => one.container === container)?.checksum;
      return { container, image, checksum };
    }),
    trouble: seen.state === 'failed' ? seen.fault.reason : state.trouble,
    owner: isElsewhere ? (state.owner ?? OTHER_MANAGER) : undefined,
    expectedMs: rolloutMsOf(name, settings),
  };
}

function expectedMsOf(settings: SimulatedSettings): Inventory['expectedMs'] {
  const { hookMs, databaseMs } = settings;
  return {
    backup: hookMs,
    'index-prerequisite': hookMs,
    'portal-content': hookMs,
    logging: hookMs,
    'auto-deployed-services': hookMs,
    'search-indices': hookMs,
    readOnly: databaseMs,
    promote: databaseMs,
    engine: phaseMsOf('engine', settings),
    afterEngine: databaseMs,
    readWrite: databaseMs,
    roles: databaseMs,
    standby: databaseMs,
  };
}

export function inventoryOf(found: DocumentMap, now: number): Inventory {
  const at: InventoryContext = { now, settings: settingsIn(found), faults: faultsIn(found) };
  const database = databaseIn(found);
  return {
    workloads: workloadsIn(found).map((state) => workloadView(state, at)),
    volumes: volumesIn(found),
    hooks: hooksIn(found),
    expectedMs: expectedMsOf(at.settings),
    database: database && {
      instances: currentDatabase(database, now).instances,
      trouble: databaseTrouble(database, now),
    },
  };
}

import type { DatabasePhase, Image } from '../../../src/model/workload.ts';
import type { Act, DatabaseAct, Observation } from '../../../src/upgrades/ports/deployment.ts';
import type { NewFault } from '../../../src/drivers/simulated/state/injectedFault.ts';
import type { SimulatedDeployment } from '../../../src/drivers/simulated/simulatedDeployment.ts';
import { createSimulatedDeployment } from '../../../src/drivers/simulated/simulatedDeployment.ts';
import type { DocumentStore } from '../../../src/foundation/documentStore.ts';
import { demoProduct } from '../../../src/demo/deployment/demoProduct.ts';
import type { ManualClock } from '../clock/manualClock.ts';

export interface SimulatedDeploymentForTests {
  readonly deployment: SimulatedDeployment;
  /** The images of a version of the demo for one workload. */
  images(workload: string, version: string): readonly Image[];
  act(workload: string, version?: string): Act;
  look(act: Act): Promise<Observation>;
  begin(act: Act): Promise<void>;
  addFault(fault: NewFault): Promise<string>;
}

/** Opens a simulated deployment with this number of workloads of the demo. */
export async function openSimulatedDeployment(
  documents: DocumentStore,
  clock: ManualClock,
  count = 6,
): Promise<SimulatedDeploymentForTests> {
  const deployment = createSimulatedDeployment({ documents, clock });
  const { inventory, versions } = demoProduct(count);
  await deployment.fillIfEmpty(inventory);
  const images = (workload: string, version: string): readonly Image[] =>
    (versions.find(({ id }) => id === version)?.containers ?? [])
      .filter(({ name }) => name === workload)
      .map(({ name, image, checksum }) => ({ container: name, image, checksum }));
  return {
    deployment,
    images,
    act: (workload, version = 'rel_11.0') => ({ kind: 'images', workload, images: images(workload, version) }),
    look: async (act) => (await deployment.observe([act]))[0] ?? { state: 'absent' },
    async begin(act) {
      const begun = await deployment.begin(act, 1);
      if (begun.kind !== 'begun') throw new Error(JSON.stringify(begun));
    },
    addFault: async (fault) => (await deployment.addFault(fault)).id,
  };
}

/** A phase of the upgrade of a database with the instances `one` and `two`. */
export function databaseAct(phase: DatabasePhase, run: string): DatabaseAct {
  return phase === 'restore'
    ? { kind: 'database', phase, run, undoes: [] }
    : { kind: 'database', phase, run, primary: 'one', standby: 'two', version: '11.0.1' };
}

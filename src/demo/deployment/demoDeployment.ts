import type { SimulatedDeployment } from '../../drivers/simulated/simulatedDeployment.ts';
import { noSuchName } from '../../foundation/errors.ts';
import type { Clock } from '../../foundation/clock.ts';
import type { ShapeType } from '../../foundation/schema/shape.ts';
import { localActor } from '../../model/actor.ts';
import type { Manager } from '../../model/workload.ts';
import type { Version } from '../../model/version.ts';
import { unsignedManifest } from '../../upgrades/versions/acceptManifest.ts';
import type { Upgrades } from '../../upgrades/upgrades.ts';
import type { LICENCE } from '../demoAnswers.ts';
import { handChange } from './handChange.ts';
import { demoInventory, demoLicence, demoProduct } from './demoProduct.ts';

type SimulationControls = Pick<
  SimulatedDeployment,
  'view' | 'fill' | 'settings' | 'changeSettings' | 'faults' | 'addFault' | 'removeFaults'
>;

/** The simulated deployment and the content that it starts with. */
export interface Demo extends SimulationControls {
  reset(): Promise<void>;
  /** Sets a field of an object as a person would do it; without a text, removes it. */
  changeObject(object: string, field: string, text: string | undefined, by: Manager): Promise<void>;
  manifest(): readonly Version[];
  licence(): ShapeType<typeof LICENCE>;
}

interface DemoDependencies {
  readonly deployment: SimulatedDeployment;
  readonly upgrades: Upgrades;
  readonly clock: Clock;
}

/** Joins the controls of the simulated deployment with the content that the demo fills it with. */
export function createDemo({ deployment, upgrades, clock }: DemoDependencies): Demo {
  return {
    ...deployment,
    async fill(inventory) {
      await upgrades.mustBeIdle();
      await deployment.fill(inventory);
    },
    async reset() {
      await upgrades.mustBeIdle();
      await deployment.startOver(demoInventory());
      await adoptFirst(upgrades);
    },
    async changeObject(object, field, text, by) {
      const live = (await deployment.liveObjects()).get(object);
      if (live === undefined) throw noSuchName('object', object);
      await deployment.changeObject(object, field, handChange(live, field, text), by);
    },
    manifest: () => shownProduct().versions,
    licence: () => demoLicence(clock.now()),
  };
}

/** The product that the demo shows. */
function shownProduct() {
  return demoProduct(undefined, { hasObjects: true });
}

async function adoptFirst(upgrades: Upgrades): Promise<void> {
  const { versions, bundles } = shownProduct();
  const [by, manifest] = [localActor('demo'), unsignedManifest(versions)];
  await upgrades.adopt(by, versions[0]?.id ?? '', manifest, { isDryRun: false, force: true });
  for (const bundle of bundles) await upgrades.importManifest(by, manifest, bundle);
}

/** Fills an empty deployment, and adopts its first version unless a version is known. */
export async function fillDemoDeployment(deployment: SimulatedDeployment, upgrades: Upgrades): Promise<void> {
  await deployment.fillIfEmpty(demoInventory());
  const { installed, latest } = await upgrades.facts();
  if (installed.length === 0 && latest === undefined) await adoptFirst(upgrades);
}

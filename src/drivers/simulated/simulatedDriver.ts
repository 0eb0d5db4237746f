import { createSimulatedDeployment } from './simulatedDeployment.ts';
import type { SimulationDependencies } from './state/documents.ts';

/** Opens the simulated deployment, as the value `simulated` of the setting `deployment`. */
export function openSimulated(dependencies: SimulationDependencies) {
  return {
    kind: 'simulated' as const,
    deployment: createSimulatedDeployment(dependencies),
    namespace: undefined,
    // An observation reads a few rows of the own store, so it may be frequent.
    observeEveryMs: 100,
    description: 'simulated: upgrades change nothing real   (see docs/upgrades.md)',
  };
}

import type { SimulatedDeployment } from '../../drivers/simulated/simulatedDeployment.ts';
import { createSimulatedDeployment } from '../../drivers/simulated/simulatedDeployment.ts';
import { SECOND } from '../../foundation/clock.ts';
import { startLoop } from '../../foundation/loop.ts';
import type { Areas } from '../../http/server/routes.ts';
import type { Mode } from '../../model/mode.ts';
import type { Store } from '../../store/store.ts';
import type { Deployment } from '../../upgrades/ports/deployment.ts';
import type { StartContext } from './startContext.ts';

const SHOW_MODE_EVERY_MS = SECOND;

/** Opens the simulated deployment if it is configured, or if `--demo` is given and nothing else is configured. */
export function openSimulatedDeployment(
  { documents }: Store,
  { settings: { deployment, demo }, clock }: StartContext,
): SimulatedDeployment | undefined {
  const isSimulated = deployment === 'simulated' || (demo && deployment === undefined);
  return isSimulated ? createSimulatedDeployment({ documents, clock }) : undefined;
}

/** Starts the loop that shows each change of read-only mode to the workloads. A failed attempt is repeated. */
export function startModeLoop({ mode }: Areas, deployment: Deployment, { clock, log, closeStack }: StartContext): void {
  let shown: Mode | undefined;
  const turn = async (): Promise<void> => {
    const current = await mode.read();
    if (current === shown) return;
    await deployment.showMode(current.isReadOnly, current.message);
    shown = current;
  };
  const loop = startLoop({ name: 'mode', pauseMs: SHOW_MODE_EVERY_MS, clock, log, turn });
  closeStack.add('showing the mode', () => loop.stop());
}

import { createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { SimulatedDeployment } from '../../drivers/simulated/simulatedDeployment.ts';
import { createSimulatedDeployment } from '../../drivers/simulated/simulatedDeployment.ts';
import type { Clock } from '../../foundation/clock.ts';
import { SECOND } from '../../foundation/clock.ts';
import type { CloseStack } from '../../foundation/closeStack.ts';
import { StewardError } from '../../foundation/errors.ts';
import type { Log } from '../../foundation/log.ts';
import { startLoop } from '../../foundation/loop.ts';
import type { Store } from '../../store/store.ts';
import type { Deployment } from '../../upgrades/ports/deployment.ts';
import type { ReadOnlyMode } from '../../system/readOnlyMode.ts';
import type { Mode } from '../../model/mode.ts';
import type { Settings } from '../settings/settings.ts';

const SHOW_MODE_EVERY_MS = SECOND;

/** The public half of an Ed25519 key, in PEM, from the file that a setting names. */
export function readPublicKey(file: string | undefined, variable: string): string | undefined {
  if (file === undefined) return undefined;
  try {
    const pem = readFileSync(file, 'utf8');
    if (pem.includes('PUBLIC KEY') && createPublicKey(pem).asymmetricKeyType === 'ed25519') return pem;
  } catch {
    // Said below, without what the file holds.
  }
  throw new StewardError('invalid', `${variable} must name a file with the public half of an Ed25519 key, in PEM.`);
}

/** `--demo` simulates one where nothing else is said. */
export function openSimulatedDeployment(
  { deployment, demo }: Pick<Settings, 'deployment' | 'demo'>,
  store: Store,
  clock: Clock,
): SimulatedDeployment | undefined {
  const isSimulated = deployment === 'simulated' || (demo && deployment === undefined);
  return isSimulated ? createSimulatedDeployment({ documents: store.documents, clock }) : undefined;
}

/** Tells the workloads of read-only mode, again and again until they have been told. */
export function startModeLoop(
  needs: { readonly mode: ReadOnlyMode; readonly deployment: Deployment; readonly clock: Clock; readonly log: Log },
  closing: CloseStack,
): void {
  const { mode, deployment, clock, log } = needs;
  let shown: Mode | undefined;
  const turn = async (): Promise<void> => {
    const now = await mode.read();
    if (now === shown) return;
    await deployment.showMode(now.isReadOnly, now.message);
    shown = now;
  };
  const loop = startLoop({ name: 'mode', pauseMs: SHOW_MODE_EVERY_MS, clock, log, turn });
  closing.add('showing the mode', () => loop.stop());
}

import { fillDemoCatalog } from '../../demo/demoCatalog.ts';
import { createDemo, fillDemoDeployment } from '../../demo/deployment/demoDeployment.ts';
import { demoRoutes } from '../../demo/demoHandlers.ts';
import type { DemoReceiver } from '../../demo/receiver/demoReceiver.ts';
import { startDemoReceiver } from '../../demo/receiver/demoReceiver.ts';
import type { SimulatedDeployment } from '../../drivers/simulated/simulatedDeployment.ts';
import type { Clock } from '../../foundation/clock.ts';
import type { Areas, Route } from '../../http/server/routes.ts';
import type { StartContext } from './startContext.ts';

/** Opens the demo receiver on its configured port, or on a free one if that is in use. */
export async function openDemoReceiver(
  { settings, clock, closeStack }: StartContext,
  signingSecretsFor: (hookUrl: string) => Promise<readonly string[]>,
): Promise<DemoReceiver> {
  let url = '';
  const options = { secretsFor: (path: string) => signingSecretsFor(url + path), now: () => clock.now() };
  const receiver = await startDemoReceiver({ ...options, port: settings.demoReceiverPort }).catch(() =>
    startDemoReceiver({ ...options, port: 0 }),
  );
  ({ url } = receiver);
  closeStack.add('demo receiver', () => receiver.close());
  return receiver;
}

/** Fills an empty catalog and an empty simulated deployment with demo content. */
export async function fillDemo(
  { catalog, upgrades }: Areas,
  simulated: SimulatedDeployment | undefined,
): Promise<void> {
  await fillDemoCatalog(catalog);
  if (simulated !== undefined) await fillDemoDeployment(simulated, upgrades);
}

/** Returns the routes that control a simulated deployment; none if the deployment is not simulated. */
export function demoRoutesOf(
  deployment: SimulatedDeployment | undefined,
  { upgrades }: Areas,
  clock: Clock,
): readonly Route[] {
  return deployment === undefined ? [] : demoRoutes(createDemo({ deployment, upgrades, clock }));
}

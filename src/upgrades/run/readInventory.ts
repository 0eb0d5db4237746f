import type { Inventory } from '../../model/workload.ts';
import type { SessionTools } from './sessionTools.ts';
import type { Answered } from './calls/performer.ts';

/** Reads the inventory, and retries until the deadline of a step. */
export function readInventory({ performer, deployment, control, clock }: SessionTools): Promise<Answered<Inventory>> {
  const patience = { control, since: clock.now() };
  return performer.insist('the inventory of the deployment', patience, (signal) => deployment.inventory(signal));
}

import type { Clock } from '../../foundation/clock.ts';
import { SECOND } from '../../foundation/clock.ts';
import type { Inventory } from '../../model/workload.ts';
import { acceptsWrites } from '../../model/workload.ts';
import { leavesNoWriter } from '../journal/outcome.ts';
import type { RunState } from '../journal/runState.ts';
import type { Deployment } from '../ports/deployment.ts';

/** A person waits for the answer. */
const LIMIT_MS = 5 * SECOND;

async function inventoryOf(deployment: Deployment, clock: Clock): Promise<Inventory | undefined> {
  const over = new AbortController();
  const late = clock.sleep(LIMIT_MS, over.signal).then(() => undefined);
  try {
    return await Promise.race([deployment.inventory(over.signal).catch(() => undefined), late]);
  } finally {
    over.abort();
  }
}

/**
 * Why nothing could be written if read-only mode ended now; undefined if writes would work. If the deployment does not answer,
 * what the job that failed has found counts.
 */
export async function openingProblem(
  deployment: Deployment | undefined,
  clock: Clock,
  failed: () => Promise<RunState | undefined>,
): Promise<{ readonly reason: string; readonly advice: string } | undefined> {
  if (deployment === undefined) return undefined;
  const inventory = await inventoryOf(deployment, clock);
  if (inventory !== undefined && acceptsWrites(inventory)) return undefined;
  const job = await failed();
  if (inventory === undefined && (job?.end === undefined || !leavesNoWriter(job.end))) return undefined;
  const found =
    inventory === undefined
      ? 'the deployment does not answer, and when its last job failed, no database instance accepted writes.'
      : `no database instance accepts writes. ${inventory.database?.trouble ?? ''}`.trimEnd();
  const retry =
    job === undefined
      ? 'then try again'
      : `then continue the ${job.job.kind} with POST system/jobs/${job.job.id}/retry`;
  return { reason: `${found} Writes would fail.`, advice: `Repair the database, ${retry}.` };
}

// Waits until nothing moves by itself, so that the next answer does not depend on how fast the machine is.
import { until } from '../run/until.ts';
import { rowsOf } from '../store/stores.ts';

/** What a patch says when the rollout of a workload has begun. */
const ROLLOUT_BEGUN = 2038;
/** A rollout that takes this long or longer is one that the next exchanges expect to be running. */
export const SLOW_MS = 8000;

/** Asks a resource as an administrator. */
// oxlint-disable-next-line typescript/no-explicit-any -- answers of many shapes
export type Ask = (path: string) => Promise<any>;

/** Deliveries that are sent on without another request. */
const MOVING = `queue join webhook on webhook.seq = queue.webhook_seq
  where webhook.active = 1 or queue.sent_while_inactive = 1`;

async function isJobAtRest(ask: Ask): Promise<boolean> {
  const { jobs } = await ask('/admin/system/jobs?num=1');
  const [job] = jobs;
  if (job === undefined || job.endedAt !== null || job.state === 'paused') return true;
  if (job.pausing || job.cancelling || job.kind !== 'upgrade') return false;
  const { rolloutMs } = await ask('/admin/demo/settings');
  const { messages } = await ask(`/admin/system/jobs/${job.id}`);
  return rolloutMs >= SLOW_MS && messages.at(-1).code === ROLLOUT_BEGUN;
}

/** Waits until no job goes on but one with a slow rollout, and nothing is to be delivered. */
export async function settle(data: string, ask: Ask): Promise<void> {
  const store = { kind: 'sqlite', at: `${data}/steward.db`, connections: 1 } as const;
  const isEmpty = async (table: string): Promise<boolean> => (await rowsOf(store, table)).length === 0;
  await until(
    'nothing moves',
    async () => (await isJobAtRest(ask)) && (await isEmpty('outbox')) && (await isEmpty(MOVING)),
    20,
  );
}

// Waits until nothing moves by itself, so that the next answer does not depend on how fast the machine is.
import { until } from '../run/until.ts';
import { changeRows, rowsOf } from '../store/stores.ts';
import { CODE } from '../upgrades/codes.ts';

/** What a patch says when the rollout of a workload has begun. */
const ROLLOUT_BEGUN = CODE.workloadUpdated;
/**
 * A rollout that takes this long or longer is one that the next exchanges expect to be running. A workload takes at most 40 % more, and
 * after 10 s the job would say that it still waits.
 */
export const SLOW_MS = 5000;

/** Asks a resource as an administrator. */
// oxlint-disable-next-line typescript/no-explicit-any -- answers of many shapes
export type Ask = (path: string) => Promise<any>;

/** Deliveries that are sent on without another request. */
const MOVING = `queue join webhook on webhook.seq = queue.webhook_seq
  where webhook.active = 1 or queue.sent_while_inactive = 1`;

/** Plans take the longest update of a wave first. All have taken equally long, so that the order is that of their names. */
const SAME_DURATIONS = `update job_journal set entry = json_set(entry, '$.tookMs', 1000) where kind in ('stepDone', 'workloadDone')`;
/** The server writes now and then which tokens were used. It does not replace a later time. */
const SAME_USE = `update token set last_used_at = ${Date.UTC(2100)}`;

const storeIn = (data: string) => ({ kind: 'sqlite', at: `${data}/steward.db`, connections: 1 }) as const;

async function isEmpty(data: string, table: string): Promise<boolean> {
  return (await rowsOf(storeIn(data), table)).length === 0;
}

async function isJobAtRest(ask: Ask): Promise<boolean> {
  const { jobs } = await ask('/admin/system/jobs?num=1');
  const [job] = jobs;
  if (job === undefined || job.endedAt !== null || job.state === 'paused') return true;
  if (job.pausing || job.cancelling || job.kind !== 'upgrade') return false;
  const { rolloutMs } = await ask('/admin/demo/settings');
  const { messages } = await ask(`/admin/system/jobs/${job.id}`);
  return rolloutMs >= SLOW_MS && messages.at(-1).code === ROLLOUT_BEGUN;
}

/** Waits until the events that a change announces have their place in the order of events. */
export async function announced(data: string): Promise<void> {
  await until('all events are accepted', () => isEmpty(data, 'outbox'));
}

/** Waits until no job goes on but one with a slow rollout, and nothing is to be delivered. Then the store forgets how long it took. */
export async function settle(data: string, ask: Ask): Promise<void> {
  await until(
    'nothing moves',
    async () => (await isJobAtRest(ask)) && (await isEmpty(data, 'outbox')) && (await isEmpty(data, MOVING)),
    20,
  );
  await changeRows(storeIn(data), `pragma synchronous = off; ${SAME_DURATIONS}; ${SAME_USE}`);
}

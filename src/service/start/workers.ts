import { SECOND } from '../../foundation/clock.ts';
import { newId } from '../../foundation/ids.ts';
import type { Log } from '../../foundation/log.ts';
import { startLoop } from '../../foundation/flow/loop.ts';
import type { Areas } from '../../http/areas.ts';
import type { JobKinds } from '../../jobs/jobRunner.ts';
import { startJobRunner } from '../../jobs/jobRunner.ts';
import { isActive } from '../../model/jobState.ts';
import type { Store, StoreLocation } from '../../store/store.ts';
import type { StartContext } from '../startContext.ts';
import type { StoreRetry } from './storeRetry.ts';

const HOUSEKEEPING_EVERY_MS = 30 * SECOND;

/** Starts the loop that removes expired data. When it stops, it writes when tokens were last used. */
export function startHousekeeping(
  { access, webhooks, uploads }: Areas,
  { clock, log, closeStack }: StartContext,
): void {
  const turn = async (signal: AbortSignal): Promise<void> => {
    await access.runHousekeeping(signal);
    await webhooks.runHousekeeping(signal);
    await uploads.runHousekeeping();
  };
  const loop = startLoop({ name: 'housekeeping', pauseMs: HOUSEKEEPING_EVERY_MS, clock, log, turn });
  closeStack.add('housekeeping', async () => {
    await loop.stop();
    await access.tokens.writeLastUses();
  });
}

async function resealSecrets({ webhooks, upgrades }: Areas, log: Log): Promise<void> {
  const { resealed, failed } = await webhooks.resealAll();
  if (resealed > 0) log.info({ webhooks: resealed }, 'secrets were encrypted again with the first master key');
  if (failed > 0)
    log.error(
      { webhooks: failed },
      'secrets cannot be read: their master key is missing in the key file; nothing is sent for these webhooks until it is put back as another line',
    );
  const objects = await upgrades.resealAll();
  if (objects.resealed > 0)
    log.info({ objects: objects.resealed }, 'objects of an upgrade were encrypted again with the first master key');
  if (objects.failed > 0)
    log.error(
      { objects: objects.failed },
      'objects that the last upgrade has changed cannot be read: their master key is missing in the key file; they cannot be restored until it is put back as another line',
    );
}

async function warnOfUnknownJob({ upgrades }: Areas, kinds: JobKinds, log: Log): Promise<void> {
  const { latest } = await upgrades.facts();
  if (latest !== undefined && isActive(latest.state) && kinds[latest.kind] === undefined)
    log.warn(
      { job: latest.id, kind: latest.kind },
      'an unfinished job cannot continue, because no deployment is configured; set STEWARD_DEPLOYMENT as it was',
    );
}

/** Starts the courier and the job runner. An embedded store has one process, so leases of its last process end at once. */
export async function startWorkers(
  areas: Areas,
  store: Store,
  location: StoreLocation,
  { clock, log, closeStack }: StartContext,
  retry: StoreRetry,
): Promise<void> {
  await retry(() => resealSecrets(areas, log));
  if (location.kind === 'sqlite') {
    await store.webhooks.expireAllLeases();
    await store.jobs.releaseJobs();
  }
  const kinds: JobKinds = { ...areas.webhooks.jobKinds, ...areas.upgrades.jobKinds() };
  await retry(() => warnOfUnknownJob(areas, kinds, log));
  const courier = areas.webhooks.startCourier();
  closeStack.add('courier', () => courier.stop());
  const runner = startJobRunner({ store: store.jobs, kinds, clock, log, owner: newId() });
  closeStack.add('jobs', () => runner.stop());
}

import { readFileSync } from 'node:fs';
import { createAddressGuard } from '../../drivers/receiver/addresses/addressGuard.ts';
import { createReceiver } from '../../drivers/receiver/receiver.ts';
import { StewardError, reasonOf } from '../../foundation/errors.ts';
import { newId } from '../../foundation/ids.ts';
import type { Log } from '../../foundation/log.ts';
import type { Areas } from '../../http/server/routes.ts';
import type { JobKinds } from '../../jobs/jobRunner.ts';
import { startJobRunner } from '../../jobs/jobRunner.ts';
import { isActive } from '../../model/jobState.ts';
import type { Store, StoreLocation } from '../../store/store.ts';
import type { Receiver } from '../../webhooks/ports/receiver.ts';
import type { Settings } from '../settings/settings.ts';
import type { StartContext } from './startContext.ts';

const CONNECTIONS_FOR_TESTS = 32;
const LOOPBACK = /^(127\.\d+\.\d+\.\d+|::1|localhost)$/;

/** If Steward listens on loopback only, its callers are on this machine and reach its loopback addresses anyway. */
export function allowsLoopback({ host }: Pick<Settings, 'host'>): boolean {
  return LOOPBACK.test(host);
}

function readCa(file: string | undefined): string | undefined {
  if (file === undefined) return undefined;
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new StewardError('invalid', `STEWARD_WEBHOOK_CA cannot be read: ${reasonOf(error)}`);
  }
}

/** Opens the driver that sends deliveries. The demo receiver is allowed although it is on loopback. */
export function openReceiver({ settings, closeStack }: StartContext, demoReceiverUrl: string | undefined): Receiver {
  const address = demoReceiverUrl === undefined ? undefined : new URL(demoReceiverUrl);
  const alsoAllow = address === undefined ? undefined : { host: address.hostname, port: Number(address.port) };
  const receiver = createReceiver({
    guard: createAddressGuard({ allow: settings.webhookAllow, allowLoopback: allowsLoopback(settings), alsoAllow }),
    ca: readCa(settings.webhookCa),
    // A claimed delivery must not wait for a connection, even if all webhooks share one host. Tests of webhooks come on top.
    connectionsPerOrigin: settings.webhookConcurrency + CONNECTIONS_FOR_TESTS,
  });
  closeStack.add('receiver', () => receiver.close());
  return receiver;
}

async function resealSecrets({ webhooks }: Areas, log: Log): Promise<void> {
  const { resealed, failed } = await webhooks.resealAll();
  if (resealed > 0) log.info({ webhooks: resealed }, 'secrets were encrypted anew with the first master key');
  if (failed > 0)
    log.error(
      { webhooks: failed },
      'secrets cannot be read: their master key is missing in STEWARD_MASTER_KEY_FILE; nothing is sent for these webhooks',
    );
}

async function warnOfUnknownJob({ upgrades }: Areas, kinds: JobKinds, log: Log): Promise<void> {
  const { latest } = await upgrades.facts();
  if (latest !== undefined && isActive(latest.state) && kinds[latest.kind] === undefined)
    log.warn(
      { job: latest.id, kind: latest.kind },
      'a job waits that this server cannot go on with: it stands beside no deployment; set STEWARD_DEPLOYMENT as it was',
    );
}

/** Starts the courier and the job runner. An embedded store has one process, so leases of its last process end at once. */
export async function startWorkers(
  areas: Areas,
  store: Store,
  location: StoreLocation,
  { clock, log, closeStack }: StartContext,
): Promise<void> {
  await resealSecrets(areas, log);
  if (location.kind === 'sqlite') {
    await store.webhooks.expireAllLeases();
    await store.jobs.releaseJobs();
  }
  const courier = areas.webhooks.startCourier();
  closeStack.add('courier', () => courier.stop());
  const kinds: JobKinds = { ...areas.webhooks.jobKinds, ...areas.upgrades.jobKinds() };
  await warnOfUnknownJob(areas, kinds, log);
  const runner = startJobRunner({ store: store.jobs, kinds, clock, log, owner: newId() });
  closeStack.add('jobs', () => runner.stop());
}

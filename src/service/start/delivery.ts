import { readFileSync } from 'node:fs';
import { createAddressGuard } from '../../drivers/receiver/addresses/addressGuard.ts';
import { createReceiver } from '../../drivers/receiver/receiver.ts';
import { systemClock } from '../../foundation/clock.ts';
import type { CloseStack } from '../../foundation/closeStack.ts';
import { StewardError, reasonOf } from '../../foundation/errors.ts';
import type { Log } from '../../foundation/log.ts';
import { newId } from '../../foundation/ids.ts';
import type { Areas } from '../../http/server/routes.ts';
import { isActive } from '../../model/jobState.ts';
import type { JobKinds } from '../../jobs/jobRunner.ts';
import { startJobRunner } from '../../jobs/jobRunner.ts';
import type { Store, StoreLocation } from '../../store/store.ts';
import type { Receiver } from '../../webhooks/ports/receiver.ts';
import type { DemoReceiver } from '../../demo/demoReceiver.ts';
import { startDemoReceiver } from '../../demo/demoReceiver.ts';
import type { Settings } from '../settings/settings.ts';

const FOR_TESTS = 32;
const LOOPBACK = /^(127\.\d+\.\d+\.\d+|::1|localhost)$/;

/** Who reaches Steward only from this machine is not kept from what else is on it. */
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

/** For `--demo`: on its own port, or on a free one where that is taken. */
export async function openDemoReceiver(
  settings: Settings,
  signingSecretsFor: (hookUrl: string) => Promise<readonly string[]>,
  closing: CloseStack,
): Promise<DemoReceiver> {
  let url = '';
  const needs = { secretsFor: (path: string) => signingSecretsFor(url + path), now: () => systemClock.now() };
  const receiver = await startDemoReceiver({ ...needs, port: settings.demoReceiverPort }).catch(() =>
    startDemoReceiver({ ...needs, port: 0 }),
  );
  ({ url } = receiver);
  closing.add('demo receiver', () => receiver.close());
  return receiver;
}

export function openReceiver(settings: Settings, demo: DemoReceiver | undefined, closing: CloseStack): Receiver {
  const address = demo === undefined ? undefined : new URL(demo.url);
  const alsoAllow = address === undefined ? undefined : { host: address.hostname, port: Number(address.port) };
  const receiver = createReceiver({
    guard: createAddressGuard({ allow: settings.webhookAllow, allowLoopback: allowsLoopback(settings), alsoAllow }),
    ca: readCa(settings.webhookCa),
    // What the courier has claimed must never wait for a connection, also where many webhooks share one host; tests come on top.
    connectionsPerOrigin: settings.webhookConcurrency + FOR_TESTS,
  });
  closing.add('receiver', () => receiver.close());
  return receiver;
}

/** The courier and the jobs. What was under way when the last process of an embedded store ended is taken up at once. */
export async function startWorkers(
  { webhooks, upgrades }: Areas,
  store: Store,
  place: StoreLocation,
  log: Log,
  closing: CloseStack,
): Promise<void> {
  const { resealed, failed } = await webhooks.resealAll();
  if (resealed > 0) log.info({ webhooks: resealed }, 'secrets were encrypted anew with the first master key');
  if (failed > 0)
    log.error(
      { webhooks: failed },
      'secrets cannot be read: their master key is missing in STEWARD_MASTER_KEY_FILE; nothing is sent for these webhooks',
    );
  if (place.kind === 'sqlite') {
    await store.webhooks.expireAllLeases();
    await store.jobs.releaseJobs();
  }
  const courier = webhooks.startCourier();
  closing.add('courier', () => courier.stop());
  const owner = newId();
  const kinds: JobKinds = { ...webhooks.jobKinds, ...upgrades.jobKinds() };
  const { latest } = await upgrades.facts();
  if (latest !== undefined && isActive(latest.state) && kinds[latest.kind] === undefined)
    log.warn(
      { job: latest.id, kind: latest.kind },
      'a job waits that this server cannot go on with: it stands beside no deployment; set STEWARD_DEPLOYMENT as it was',
    );
  const runner = startJobRunner({ store: store.jobs, kinds, clock: systemClock, log, owner });
  closing.add('jobs', () => runner.stop());
}

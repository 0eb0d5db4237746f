import { setTimeout as sleep } from 'node:timers/promises';
import type { Probe } from './probe.ts';
import { startProbe } from './probe.ts';
import { progress } from './report.ts';
import { residentMb } from './running.ts';
import type { Published } from './services.ts';
import { importServices, serviceOf } from './services.ts';
import type { Client } from './steward.ts';
import { callSoap, envelopeOf, post } from './steward.ts';

const SERVICES = 50_000;
const FOLDERS = 10;
const PUBLISHES = 20;
const SETTLE_MS = 200;

export interface Publishing {
  /** The longest wait of the probe while one service was published, and in as much time with nothing else going on. */
  readonly busyMs: readonly number[];
  readonly idleMs: readonly number[];
  /** The same while the whole catalog was read: for the first time, and after the publishes. */
  readonly wholeMs: readonly number[];
  readonly publishMs: readonly number[];
  readonly wholeBytes: number;
  readonly mb: number;
}

function mustHave(bytes: Buffer, { folderName, serviceName }: Published): void {
  if (!bytes.includes(`<Name>${folderName}/${serviceName}</Name>`))
    throw new Error(`${folderName}/${serviceName} was acknowledged, and is not in the catalog`);
}

async function publish({ url, token, catalog }: Client, service: Published): Promise<void> {
  await post(`${url}/admin/services/createService`, new URLSearchParams({ token, f: 'json', ...service }));
  const { folderName } = service;
  const wanted = envelopeOf('GetServiceDescriptionsEx', `<FolderName>${folderName}</FolderName>`);
  mustHave(await callSoap(catalog, wanted), service);
}

async function watched<T>(probe: Probe, work: () => Promise<T>): Promise<{ done: T; tookMs: number; longest: number }> {
  await probe.take();
  const began = performance.now();
  const done = await work();
  const tookMs = performance.now() - began;
  return { done, tookMs, longest: await probe.take() };
}

async function publishEach(steward: Client, probe: Probe, services: readonly Published[]) {
  const [busyMs, idleMs, publishMs]: [number[], number[], number[]] = [[], [], []];
  for (const service of services) {
    const { tookMs, longest } = await watched(probe, () => publish(steward, service));
    busyMs.push(longest);
    publishMs.push(tookMs);
    await sleep(SETTLE_MS);
    idleMs.push((await watched(probe, () => sleep(tookMs))).longest);
  }
  return { busyMs, idleMs, publishMs };
}

const folderOf = (n: number): string => `County_${n % FOLDERS}`;

/** Publishes one service after the other into a large catalog, and reads each back. */
export async function measurePublishing(steward: Client): Promise<Publishing> {
  progress(`importing ${SERVICES} services …`);
  await importServices(
    steward,
    Array.from({ length: SERVICES }, (_, n) => serviceOf(folderOf(n), n)),
  );
  const probe = startProbe(`${steward.url}/healthz`);
  const readAll = () => watched(probe, () => callSoap(steward.catalog, envelopeOf('GetServiceDescriptions')));
  const first = await readAll();
  progress(`publishing ${PUBLISHES} more, one at a time …`);
  // Spread over the names that are there, so that they fall into chunks at every place.
  const added = Array.from({ length: PUBLISHES }, (_, n) => {
    const service = serviceOf(folderOf(n), Math.floor((n * SERVICES) / PUBLISHES));
    return { ...service, serviceName: `${service.serviceName}_new` };
  });
  const measured = await publishEach(steward, probe, added);
  const last = await readAll();
  for (const service of added) mustHave(last.done, service);
  probe.end();
  return {
    ...measured,
    wholeMs: [first.longest, last.longest],
    wholeBytes: last.done.length,
    mb: residentMb(steward.pid),
  };
}

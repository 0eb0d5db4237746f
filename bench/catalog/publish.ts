import { setTimeout as sleep } from 'node:timers/promises';
import { residentMb } from '../harness/measure/processUsage.ts';
import { progress } from '../harness/measure/report.ts';
import { callSoap, envelopeOf } from '../harness/load/soap.ts';
import type { Steward } from '../harness/processes/steward.ts';
import { startHealthProbe } from '../harness/load/healthProbe.ts';
import type { NewService } from './services.ts';
import { importServices, newService } from './services.ts';

const SERVICES = 50_000;
const FOLDERS = 10;
const PUBLISHES = 20;
const SETTLE_MS = 200;

type Probe = ReturnType<typeof startHealthProbe>;

export interface PublishFigures {
  /** The longest wait of the probe while one service was published, and in an idle period of the same length. */
  readonly busyMs: readonly number[];
  readonly idleMs: readonly number[];
  /** The longest wait while the whole catalog was read: before the publishes, and after them. */
  readonly wholeMs: readonly number[];
  readonly publishMs: readonly number[];
  readonly wholeBytes: number;
  readonly mb: number;
}

function mustList(bytes: Buffer, { folderName, serviceName }: NewService): void {
  if (!bytes.includes(`<Name>${folderName}/${serviceName}</Name>`))
    throw new Error(`${folderName}/${serviceName} was acknowledged, and is not in the catalog`);
}

async function publish(steward: Steward, service: NewService): Promise<void> {
  await steward.post('/services/createService', service);
  const folder = `<FolderName>${service.folderName}</FolderName>`;
  mustList(await callSoap(steward.catalog, envelopeOf('GetServiceDescriptionsEx', folder)), service);
}

async function probed<T>(probe: Probe, work: () => Promise<T>): Promise<{ done: T; tookMs: number; longest: number }> {
  await probe.ask(undefined);
  const began = performance.now();
  const done = await work();
  const tookMs = performance.now() - began;
  return { done, tookMs, longest: await probe.ask(undefined) };
}

async function publishEach(steward: Steward, probe: Probe, services: readonly NewService[]) {
  const [busyMs, idleMs, publishMs]: [number[], number[], number[]] = [[], [], []];
  for (const service of services) {
    const { tookMs, longest } = await probed(probe, () => publish(steward, service));
    busyMs.push(longest);
    publishMs.push(tookMs);
    await sleep(SETTLE_MS);
    idleMs.push((await probed(probe, () => sleep(tookMs))).longest);
  }
  return { busyMs, idleMs, publishMs };
}

const folderOf = (n: number): string => `County_${n % FOLDERS}`;

/** Publishes services one by one into a large catalog, and reads each back. */
export async function measurePublish(steward: Steward): Promise<PublishFigures> {
  progress(`importing ${SERVICES} services …`);
  await importServices(
    steward,
    Array.from({ length: SERVICES }, (_, n) => newService(folderOf(n), n)),
  );
  const probe = startHealthProbe(`${steward.url}/healthz`);
  const readAll = () => probed(probe, () => callSoap(steward.catalog, envelopeOf('GetServiceDescriptions')));
  const first = await readAll();
  progress(`publishing ${PUBLISHES} more, one at a time …`);
  // Spread evenly over the existing names, so that all regions of the sorted catalog are affected.
  const added = Array.from({ length: PUBLISHES }, (_, n) => {
    const service = newService(folderOf(n), Math.floor((n * SERVICES) / PUBLISHES));
    return { ...service, serviceName: `${service.serviceName}_new` };
  });
  const figures = await publishEach(steward, probe, added);
  const last = await readAll();
  for (const service of added) mustList(last.done, service);
  await probe.end();
  return {
    ...figures,
    wholeMs: [first.longest, last.longest],
    wholeBytes: last.done.length,
    mb: residentMb(steward.pid),
  };
}

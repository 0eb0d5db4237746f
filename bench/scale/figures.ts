// Replicas on one PostgreSQL: what they and the database cost at rest, at a fixed rate of events, and while they work off a
// backlog.
import { setTimeout as sleep } from 'node:timers/promises';
import { importServices } from '../catalog/services.ts';
import type { PartResult } from '../harness/benchmark.ts';
import { measureDrainedShare } from '../harness/measure/drainedShare.ts';
import { cpuMicroseconds, residentMb } from '../harness/measure/processUsage.ts';
import { progress, row, say } from '../harness/measure/report.ts';
import type { Spread } from '../harness/measure/statistics.ts';
import { spreadOf, sum, worst } from '../harness/measure/statistics.ts';
import type { Steward } from '../harness/processes/steward.ts';
import { serviceOf } from '../webhooks/events.ts';
import type { Fixtures } from '../webhooks/fixtures.ts';
import { sendEvents } from '../webhooks/fixtures.ts';
import type { Receivers } from '../webhooks/receivers.ts';
import { startReceivers } from '../webhooks/receivers.ts';

const PER_SECOND = 400;
const BACKLOG = 20_000;
const RECEIVERS = 20;
const [WARM_UP_S, SECONDS, IDLE_S] = [3, 10, 5];

/** CPU time of all replicas and of PostgreSQL, in µs. */
interface Cpu {
  readonly steward: number;
  readonly postgres: number;
}

interface Figures {
  /** For each delivery. */
  readonly drain: Cpu & { readonly perSecond: number };
  /** For each delivery, at a fixed rate, with the acceptance of its event. */
  readonly steady: Cpu & { readonly arrival: Spread };
  /** For each second, when nothing happens. */
  readonly idle: Cpu;
  /** Of the largest replica. */
  readonly mb: number;
}

function readCpu(fixtures: Fixtures, replicas: readonly Steward[]): Cpu {
  return { steward: sum(replicas.map(({ pid }) => cpuMicroseconds(pid))), postgres: fixtures.postgresCpu() };
}

const costOf = (before: Cpu, after: Cpu, count: number): Cpu => ({
  steward: (after.steward - before.steward) / count,
  postgres: (after.postgres - before.postgres) / count,
});

async function measureDrain(
  fixtures: Fixtures,
  replicas: readonly Steward[],
  receivers: Receivers,
): Promise<Figures['drain']> {
  const read = () => readCpu(fixtures, replicas);
  const { perSecond, perDelivery } = await measureDrainedShare(receivers, BACKLOG, read);
  return { perSecond, steward: perDelivery('steward'), postgres: perDelivery('postgres') };
}

/** Every replica gets the same share of the events, and events of every webhook. */
async function sendToAll(fixtures: Fixtures, replicas: readonly Steward[], webhooks: number, seconds: number) {
  const length = (PER_SECOND * seconds) / replicas.length;
  const order = (replica: number) => Array.from({ length }, (_, n) => (n * replicas.length + replica) % webhooks);
  const sent = replicas.map((replica, n) =>
    sendEvents(fixtures, replica, { order: order(n), perSecond: PER_SECOND / replicas.length }),
  );
  return (await Promise.all(sent)).flat();
}

async function measureSteady(
  fixtures: Fixtures,
  replicas: readonly Steward[],
  receivers: Receivers,
  webhooks: number,
): Promise<Figures['steady']> {
  await sendToAll(fixtures, replicas, webhooks, WARM_UP_S);
  await sleep(1000);
  await receivers.reset();
  const before = readCpu(fixtures, replicas);
  const sent = await sendToAll(fixtures, replicas, webhooks, SECONDS);
  await receivers.reach(sent.length);
  const cost = costOf(before, readCpu(fixtures, replicas), sent.length);
  const arrivals = await receivers.arrivals();
  const latency = sent.map(({ id, intended }) => (arrivals.get(id) ?? Number.POSITIVE_INFINITY) - intended);
  return { ...cost, arrival: spreadOf(latency) };
}

async function measureIdle(fixtures: Fixtures, replicas: readonly Steward[]): Promise<Cpu> {
  await sleep(1000);
  const before = readCpu(fixtures, replicas);
  await sleep(IDLE_S * 1000);
  return costOf(before, readCpu(fixtures, replicas), IDLE_S);
}

/** Creates this many services with a webhook each, and a backlog for them. */
async function createInstallation(fixtures: Fixtures, name: string, { origins }: Receivers, webhooks: number) {
  const installation = await fixtures.create('PostgreSQL', name);
  const steward = await fixtures.start(installation);
  const services = Array.from({ length: webhooks }, (_, n) => serviceOf(n));
  await importServices(
    steward,
    services.map((service) => ({ folderName: service.folder, serviceName: service.name, type: service.type })),
  );
  await steward.end();
  const spread = services.map((_, n) => origins[n % origins.length] ?? '');
  await fixtures.backlog.ask({ kind: 'fill', installation, origins: spread, events: BACKLOG });
  return installation;
}

async function measureRunning(
  fixtures: Fixtures,
  receivers: Receivers,
  {
    name,
    replicas: howMany,
    webhooks,
  }: { readonly name: string; readonly replicas: number; readonly webhooks: number },
): Promise<Figures> {
  const installation = await createInstallation(fixtures, name, receivers, webhooks);
  await receivers.reset();
  const replicas = await Promise.all(Array.from({ length: howMany }, () => fixtures.start(installation)));
  const drain = await measureDrain(fixtures, replicas, receivers);
  const steady = await measureSteady(fixtures, replicas, receivers, webhooks);
  const idle = await measureIdle(fixtures, replicas);
  const mb = worst(replicas.map(({ pid }) => residentMb(pid)));
  await Promise.all(replicas.map((replica) => replica.end()));
  return { drain, steady, idle, mb };
}

const micros = (value: number): string => `${value.toFixed(0)} µs`;
const millis = (value: number): string => `${value.toFixed(1)} ms`;

function printFigures(what: string, measured: ReadonlyMap<number, Figures>): void {
  const print = (title: string, heads: readonly string[], cells: (figures: Figures) => readonly string[]): void => {
    say(`\n${title}\n`);
    say(row(what, ...heads));
    for (const [count, figures] of measured) say(row(String(count), ...cells(figures)));
  };
  print(
    `A backlog of ${BACKLOG} deliveries: CPU time for each`,
    ['Steward', 'PostgreSQL', 'per second'],
    ({ drain }) => [micros(drain.steward), micros(drain.postgres), drain.perSecond.toFixed(0)],
  );
  print(
    `${PER_SECOND} events a second, sent one by one: CPU time for each, and from the intended time to arrival`,
    ['Steward', 'PostgreSQL', 'p50', 'p99'],
    ({ steady }) => [
      micros(steady.steward),
      micros(steady.postgres),
      millis(steady.arrival.p50),
      millis(steady.arrival.p99),
    ],
  );
  print(
    'At rest: CPU time for each second, and memory of one replica',
    ['Steward', 'PostgreSQL', 'memory'],
    (figures) => [
      millis(figures.idle.steward / 1000),
      millis(figures.idle.postgres / 1000),
      `${figures.mb.toFixed(0)} MB`,
    ],
  );
}

/** How much more the last of the figures costs than the first. */
function growth(measured: ReadonlyMap<number, Figures>, of: (figures: Figures) => number): number {
  const values = [...measured.values()].map(of);
  return (values.at(-1) ?? Number.NaN) / (values[0] ?? Number.NaN);
}

const total = ({ steward, postgres }: Cpu): number => steward + postgres;

/** One installation of a series. `count` is what differs: the number of replicas or of webhooks. */
interface Size {
  readonly count: number;
  readonly replicas: number;
  readonly webhooks: number;
}

/** Measures a series from small to large. The bars limit how much more a delivery costs at the end than at the beginning. */
export async function measureSeries(
  fixtures: Fixtures,
  what: 'replicas' | 'webhooks',
  sizes: readonly Size[],
  atMost: { readonly backlog: number; readonly steady: number },
): Promise<PartResult> {
  const receivers = await startReceivers(RECEIVERS);
  const measured = new Map<number, Figures>();
  for (const { count, ...size } of sizes) {
    progress(`${count} ${what} …`);
    measured.set(count, await measureRunning(fixtures, receivers, { name: `${what}_${count}`, ...size }));
  }
  await receivers.end();
  const bar = (name: string, of: (figures: Figures) => Cpu, limit: number) => ({
    name: `${name}, ${sizes.at(-1)?.count} ${what}`,
    measured: growth(measured, (figures) => total(of(figures))),
    atMost: limit,
    unit: 'x',
  });
  return {
    bars: [
      bar('backlog', ({ drain }) => drain, atMost.backlog),
      bar(`${PER_SECOND}/s`, ({ steady }) => steady, atMost.steady),
    ],
    print: () => printFigures(what, measured),
  };
}

// The part `status`: what the status of an upgrade with 10,000 messages costs, compared with a bare Fastify server that
// answers the same bytes, and how many messages are read from the store after one was added.
import type { PartResult } from '../harness/benchmark.ts';
import type { Installations, StoreName } from '../harness/processes/installations.ts';
import { STORES } from '../harness/processes/installations.ts';
import { costCells, costRatio, progress, row, say } from '../harness/measure/report.ts';
import { loadCase, measureRounds } from '../harness/measure/serverCost.ts';
import { median, unsteadyRounds } from '../harness/measure/statistics.ts';
import type { Steward } from '../harness/processes/steward.ts';
import type { Load } from '../harness/load/wrk.ts';
import { startFastifyServer } from './fastifyServer.ts';
import { openLongJob } from './longJob.ts';
import type { Status } from './upgradeClient.ts';

const [FEW, MANY] = [100, 10_000];
const ROUNDS = 5;
const SECONDS = 2;
const ADDED = 30;

async function readStatus({ url, headers = {} }: Load): Promise<{ readonly bytes: Buffer; readonly tag: string }> {
  const response = await fetch(url, { headers: { ...headers, 'Accept-Encoding': 'identity' } });
  const bytes = Buffer.from(await response.arrayBuffer());
  const { status } = JSON.parse(bytes.toString()) as Status;
  if (status.messages.length < MANY) throw new Error(`the status has ${status.messages.length} messages`);
  return { bytes, tag: response.headers.get('etag') ?? '' };
}

async function mustBeUnchanged({ url, headers = {} }: Load): Promise<void> {
  const { status } = await fetch(url, { headers });
  if (status !== 304) throw new Error(`an unchanged status answers ${status}`);
}

async function prepareCases(steward: Steward) {
  const headers = { Authorization: `Bearer ${steward.token}` };
  const load = { url: `${steward.url}/admin/system/upgrades?f=json`, headers };
  const { bytes, tag } = await readStatus(load);
  const unchanged = { ...load, headers: { ...headers, 'If-None-Match': tag } };
  await mustBeUnchanged(unchanged);
  const bare = await startFastifyServer(bytes);
  const cases = {
    bare: loadCase('bare Fastify, the same bytes', bare, { url: `${bare.url}/`, headers }),
    status: loadCase('status', steward, load),
    health: loadCase('GET /healthz', steward, { url: `${steward.url}/healthz` }),
    unchanged: loadCase('status, unchanged', steward, unchanged),
  };
  return { cases, megabytes: bytes.length / 1e6 };
}

/** Measures the status after each of some added messages. The installation keeps the job with many messages. */
async function measureAdded(installations: Installations, store: StoreName) {
  const name = `status_${store.toLowerCase()}`;
  const small = await openLongJob(await installations.create(store, `${name}_few`), FEW);
  const fewMs = median(await small.readAfterEach(ADDED));
  await small.end();
  const installation = await installations.create(store, name);
  const large = await openLongJob(installation, MANY);
  const manyMs = median(await large.readAfterEach(ADDED));
  const fetchedEach = large.fetched() / ADDED;
  await large.end();
  return { installation, fewMs, manyMs, fetchedEach };
}

async function measureOn(installations: Installations, store: StoreName) {
  progress(`a job with ${MANY} messages on ${store} …`);
  const added = await measureAdded(installations, store);
  const steward = await installations.start(added.installation);
  const { cases, megabytes } = await prepareCases(steward);
  await measureRounds(Object.values(cases), { rounds: ROUNDS, seconds: SECONDS, warmUpSeconds: 1 });
  await Promise.all([steward.end(), cases.bare.server.end()]);
  return { store, cases, megabytes, ...added };
}

type Measured = Awaited<ReturnType<typeof measureOn>>;

function print({ store, cases, megabytes, fewMs, manyMs, fetchedEach }: Measured): void {
  const size = `${megabytes.toFixed(2)} MB`;
  say(`\nThe status with ${MANY} messages on ${store}, ${size}: CPU time, best of ${ROUNDS} rounds of ${SECONDS} s\n`);
  say(row('part', 'µs/request', 'worst µs', 'requests/s'));
  for (const one of Object.values(cases)) say(row(one.name, ...costCells(one)));
  say(`\nafter one more message, median of ${ADDED}: ${fetchedEach.toFixed(1)} messages are read from the store;`);
  say(`the status takes ${fewMs.toFixed(2)} ms of CPU with ${FEW} messages, ${manyMs.toFixed(2)} ms with ${MANY}`);
}

function barsOf({ store, cases, fetchedEach }: Measured) {
  const { bare, status, health, unchanged } = cases;
  return [
    { name: `status against bare, ${store}`, measured: costRatio(status, bare), atMost: 1.5, unit: 'x' },
    { name: `unchanged against healthz, ${store}`, measured: costRatio(unchanged, health), atMost: 2, unit: 'x' },
    { name: `messages read for a new one, ${store}`, measured: fetchedEach, atMost: 1, unit: '' },
  ];
}

export async function measureStatus(installations: Installations): Promise<PartResult> {
  const all: Measured[] = [];
  for (const store of STORES) all.push(await measureOn(installations, store));
  return {
    bars: all.flatMap(barsOf),
    noise: unsteadyRounds('the bare server', ...all.map(({ cases }) => cases.bare.microseconds)),
    print: () => all.forEach(print),
  };
}

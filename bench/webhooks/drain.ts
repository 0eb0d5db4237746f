// The part `drain`: what a delivery costs Steward while it works off a backlog, compared with undici that posts the same
// body, and how long another request waits during that time.
import { setTimeout as sleep } from 'node:timers/promises';
import type { WebhookAnswer } from '../../src/wire/answers/webhookAnswers.ts';
import type { PartResult } from '../harness/benchmark.ts';
import type { StoreName } from '../harness/processes/installations.ts';
import { STORES } from '../harness/processes/installations.ts';
import { cpuMicroseconds, residentMb } from '../harness/measure/processUsage.ts';
import type { Cost } from '../harness/measure/report.ts';
import { costCells, costRatio, progress, row, say, spreadCells } from '../harness/measure/report.ts';
import { SOAP_HEADERS, envelopeOf } from '../harness/load/soap.ts';
import type { Spread } from '../harness/measure/statistics.ts';
import { best, median, spreadOf, sum, unsteadyRounds, worst } from '../harness/measure/statistics.ts';
import type { Steward } from '../harness/processes/steward.ts';
import type { SendCost } from './bareSender.ts';
import { startBareSender } from './bareSender.ts';
import type { Fixtures } from './fixtures.ts';
import type { Receivers } from './receivers.ts';
import { startReceivers } from './receivers.ts';

const WEBHOOKS = 20;
/** How many requests Steward has under way to one webhook by default. */
const EACH = 16;
const DELIVERIES = 30_000;
/** Between these shares of the backlog the process is neither starting up nor running out of work. */
const [FROM, TO] = [0.25, 0.9];
const POSTS = 20_000;
const ROUNDS = 3;
const PROBES_PER_SECOND = 100;
const LONGEST_S = 120;
const SETTLED_WITHIN_MS = 10_000;

interface Drained extends SendCost {
  /** CPU time of PostgreSQL for one delivery. */
  readonly postgresMicroseconds: number;
  readonly mb: number;
  /** How long GetMessageVersion took during the drain. */
  readonly waits: Spread;
}

async function deliveredCount(steward: Steward): Promise<number> {
  const answer = await steward.post('/services/webhooks', { num: '1000' });
  const { webhooks } = JSON.parse(answer) as { readonly webhooks: readonly WebhookAnswer[] };
  return sum(webhooks.map(({ ledger }) => ledger.delivered));
}

/** Every delivery is in the ledger, is signed, and was sent only once. */
async function mustBeComplete(steward: Steward, receivers: Receivers): Promise<void> {
  const giveUpAt = performance.now() + SETTLED_WITHIN_MS;
  while ((await deliveredCount(steward)) < DELIVERIES) {
    if (performance.now() > giveUpAt) throw new Error('not every delivery that arrived is in the ledger');
    await sleep(50);
  }
  const { requests, unsigned, repeated } = await receivers.count();
  if (requests !== DELIVERIES || unsigned + repeated > 0)
    throw new Error(`of ${DELIVERIES} deliveries ${requests} arrived, ${unsigned} unsigned, ${repeated} repeated`);
}

async function probe({ openLoop }: Fixtures, { url, catalog }: Steward): Promise<Spread> {
  const sent = await openLoop.ask({
    kind: 'send',
    origin: url,
    headers: SOAP_HEADERS,
    requests: [{ path: catalog.slice(url.length), body: envelopeOf('GetMessageVersion') }],
    order: Array.from({ length: PROBES_PER_SECOND * LONGEST_S }, () => 0),
    perSecond: PROBES_PER_SECOND,
  });
  return spreadOf(sent.map(({ intended, answered }) => answered - intended));
}

async function drain(fixtures: Fixtures, store: StoreName, receivers: Receivers, name: string): Promise<Drained> {
  const installation = await fixtures.create(store, name);
  await receivers.reset();
  await fixtures.backlog.ask({ kind: 'fill', installation, origins: receivers.origins, events: DELIVERIES });
  const steward = await fixtures.start(installation);
  const read = async () => ({
    count: (await receivers.count()).requests,
    cpu: cpuMicroseconds(steward.pid),
    postgres: fixtures.postgresCpu(),
    at: performance.now(),
  });
  await receivers.reach(DELIVERIES * FROM);
  const probing = probe(fixtures, steward);
  const before = await read();
  await receivers.reach(DELIVERIES * TO);
  const after = await read();
  await fixtures.openLoop.ask({ kind: 'stop' });
  const waits = await probing;
  await receivers.reach(DELIVERIES);
  await mustBeComplete(steward, receivers);
  const mb = residentMb(steward.pid);
  await steward.end();
  const count = after.count - before.count;
  return {
    microseconds: (after.cpu - before.cpu) / count,
    postgresMicroseconds: (after.postgres - before.postgres) / count,
    perSecond: (count * 1000) / (after.at - before.at),
    mb,
    waits,
  };
}

/** Drains a store once and returns its deliveries per second. */
export async function measureTopRate(fixtures: Fixtures, store: StoreName): Promise<number> {
  const receivers = await startReceivers(WEBHOOKS);
  const { perSecond } = await drain(fixtures, store, receivers, `top_${store.toLowerCase()}`);
  await receivers.end();
  return perSecond;
}

type Rounds = Readonly<Record<StoreName, Drained[]>>;

const costOf = (rounds: readonly SendCost[]): Cost => ({
  microseconds: rounds.map(({ microseconds }) => microseconds),
  perSecond: rounds.map(({ perSecond }) => perSecond),
});

function print(bare: Cost, rounds: Rounds): void {
  const backlog = `A backlog of ${DELIVERIES} deliveries to ${WEBHOOKS} receivers`;
  say(`\n${backlog}: CPU time of the sending process, best of ${ROUNDS}\n`);
  say(row('sender', 'µs/delivery', 'x bare', 'worst µs', 'per second'));
  say(row('undici alone, the same body', ...costCells(bare, bare)));
  for (const store of STORES) say(row(`Steward on ${store}`, ...costCells(costOf(rounds[store]), bare)));
  const ofPostgres = best(rounds.PostgreSQL.map(({ postgresMicroseconds }) => postgresMicroseconds));
  say(`\nPostgreSQL itself, beside Steward: ${ofPostgres.toFixed(1)} µs/delivery`);
  for (const store of STORES)
    say(`memory after the drain on ${store}: ${worst(rounds[store].map(({ mb }) => mb)).toFixed(0)} MB`);
  say(`\nGetMessageVersion meanwhile, ${PROBES_PER_SECOND} a second from the intended time\n`);
  say(row('', 'p50', 'p99', 'longest'));
  for (const store of STORES)
    for (const [n, { waits }] of rounds[store].entries())
      say(row(`${store}, round ${n + 1}, ${waits.count} asked`, ...spreadCells(waits)));
}

/** Measures the bare sender and both stores in turns. */
async function measureAll(fixtures: Fixtures): Promise<{ readonly bare: Cost; readonly rounds: Rounds }> {
  const [receivers, sender] = [await startReceivers(WEBHOOKS), startBareSender()];
  const { origins } = receivers;
  const sent: SendCost[] = [];
  const rounds: Rounds = { SQLite: [], PostgreSQL: [] };
  await sender.ask({ origins, each: EACH, requests: POSTS / 2 });
  for (let round = 1; round <= ROUNDS; round += 1) {
    progress(`drain, round ${round} of ${ROUNDS} …`);
    sent.push(await sender.ask({ origins, each: EACH, requests: POSTS }));
    for (const store of STORES)
      rounds[store].push(await drain(fixtures, store, receivers, `drain_${store.toLowerCase()}_${round}`));
  }
  await Promise.all([receivers.end(), sender.end()]);
  return { bare: costOf(sent), rounds };
}

function barsOf(store: StoreName, drained: readonly Drained[], bare: Cost) {
  const wait = median(drained.map(({ waits }) => waits.p99));
  return [
    { name: `a delivery on ${store} against bare`, measured: costRatio(costOf(drained), bare), atMost: 2.5, unit: 'x' },
    { name: `GetMessageVersion p99, ${store}`, measured: wait, atMost: 30, unit: 'ms' },
  ];
}

/** Returns the top rate of each store besides the result. */
export async function measureDrain(
  fixtures: Fixtures,
): Promise<PartResult & { readonly topRates: ReadonlyMap<StoreName, number> }> {
  const { bare, rounds } = await measureAll(fixtures);
  return {
    bars: STORES.flatMap((store) => barsOf(store, rounds[store], bare)),
    noise: unsteadyRounds('undici alone', bare.microseconds),
    topRates: new Map(STORES.map((store) => [store, worst(costOf(rounds[store]).perSecond)])),
    print: () => print(bare, rounds),
  };
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { Posted } from './barePost.ts';
import { startBarePost } from './barePost.ts';
import { spreadCells, spreadOf } from './percentile.ts';
import type { Spread } from './percentile.ts';
import type { Receivers } from './receivers.ts';
import { startReceivers } from './receivers.ts';
import { best, median, progress, row, say } from './report.ts';
import { cpuMicroseconds, residentMb } from './running.ts';
import type { Client } from './steward.ts';
import { envelopeOf } from './steward.ts';
import type { Found, StoreName } from './places.ts';
import { STORES } from './places.ts';
import type { World } from './webhookWorld.ts';
import { readLedgers } from './webhookWorld.ts';

const WEBHOOKS = 20;
/** As many as Steward has under way to one webhook, unless it is told otherwise. */
const EACH = 16;
const DELIVERIES = 30_000;
/** Between these shares of the backlog the process is neither starting nor running dry. */
const [FROM, TO] = [0.25, 0.9];
const POSTS = 20_000;
const ROUNDS = 3;
const PROBES_PER_SECOND = 100;
const LONGEST_S = 120;
const NOISE_AT_MOST = 1.6;
const SETTLED_WITHIN_MS = 10_000;

interface Drained {
  /** CPU time of Steward, and of PostgreSQL beside it, for one delivery. */
  readonly microseconds: number;
  readonly postgresMicroseconds: number;
  readonly perSecond: number;
  readonly mb: number;
  /** What GetMessageVersion took meanwhile. */
  readonly waits: Spread;
}

/** Every attempt is in the log and signed, and none was made twice. */
async function mustBeKept(steward: Client, receivers: Receivers): Promise<void> {
  const giveUpAt = performance.now() + SETTLED_WITHIN_MS;
  while ((await readLedgers(steward)).delivered < DELIVERIES) {
    if (performance.now() > giveUpAt) throw new Error('not every delivery that arrived is in the ledger');
    await sleep(50);
  }
  const { requests, unsigned, repeated } = await receivers.count();
  if (requests !== DELIVERIES || unsigned + repeated > 0)
    throw new Error(`of ${DELIVERIES} deliveries ${requests} arrived, ${unsigned} unsigned, ${repeated} repeated`);
}

function startProbes({ openLoop }: World, { url, catalog }: Client): Promise<Spread> {
  const path = catalog.slice(url.length);
  const asking = openLoop.ask({
    kind: 'send',
    origin: url,
    headers: { 'Content-Type': 'text/xml; charset=utf-8' },
    requests: [{ path, body: envelopeOf('GetMessageVersion') }],
    order: Array.from({ length: PROBES_PER_SECOND * LONGEST_S }, () => 0),
    perSecond: PROBES_PER_SECOND,
  });
  return asking.then((sent) => spreadOf(sent.map(({ intended, answered }) => answered - intended)));
}

async function drain(world: World, store: StoreName, receivers: Receivers, name: string): Promise<Drained> {
  const place = await world.place(store, name);
  await receivers.reset();
  await world.backlog.fill(place, receivers.origins, DELIVERIES);
  const steward = await world.start(place);
  const mark = async () => ({
    count: (await receivers.count()).requests,
    cpu: cpuMicroseconds(steward.pid),
    postgres: world.postgresCpu(),
    at: performance.now(),
  });
  await receivers.reach(DELIVERIES * FROM);
  const probing = startProbes(world, steward);
  const before = await mark();
  await receivers.reach(DELIVERIES * TO);
  const after = await mark();
  await world.openLoop.ask({ kind: 'stop' });
  const waits = await probing;
  await receivers.reach(DELIVERIES);
  await mustBeKept(steward, receivers);
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

/** How much one drain of a store does in a second. */
export async function topRateOf(world: World, store: StoreName): Promise<number> {
  const receivers = await startReceivers(WEBHOOKS);
  const { perSecond } = await drain(world, store, receivers, `top_${store.toLowerCase()}`);
  receivers.end();
  return perSecond;
}

type Rounds = Readonly<Record<StoreName, Drained[]>>;
const least = (drained: readonly Drained[]): number => best(drained.map(({ microseconds }) => microseconds));
const bareLeast = (posted: readonly Posted[]): number => best(posted.map(({ microseconds }) => microseconds));

function print(posted: readonly Posted[], rounds: Rounds): void {
  const line = (name: string, microseconds: readonly number[], perSecond: readonly number[]): void =>
    say(
      row(
        name,
        best(microseconds).toFixed(1),
        (best(microseconds) / bareLeast(posted)).toFixed(2),
        Math.max(...microseconds).toFixed(1),
        Math.max(...perSecond).toFixed(0),
      ),
    );
  say(
    `\nA backlog of ${DELIVERIES} deliveries to ${WEBHOOKS} receivers: CPU time of the sending process, best of ${ROUNDS}\n`,
  );
  say(row('sender', 'µs/delivery', 'x bare', 'worst µs', 'per second'));
  line(
    'undici alone, the same body',
    posted.map(({ microseconds }) => microseconds),
    posted.map(({ perSecond }) => perSecond),
  );
  for (const store of STORES)
    line(
      `Steward on ${store}`,
      rounds[store].map(({ microseconds }) => microseconds),
      rounds[store].map(({ perSecond }) => perSecond),
    );
  const beside = best(rounds.PostgreSQL.map(({ postgresMicroseconds }) => postgresMicroseconds));
  say(`\nPostgreSQL itself, beside Steward: ${beside.toFixed(1)} µs/delivery`);
  for (const store of STORES)
    say(`memory after the drain on ${store}: ${Math.max(...rounds[store].map(({ mb }) => mb)).toFixed(0)} MB`);
  say(`\nGetMessageVersion meanwhile, ${PROBES_PER_SECOND} a second from the intended time\n`);
  say(row('', 'p50', 'p99', 'longest'));
  for (const store of STORES)
    for (const [n, { waits }] of rounds[store].entries())
      say(row(`${store}, round ${n + 1}, ${waits.count} asked`, ...spreadCells(waits)));
}

function noiseIn(posted: readonly Posted[]): string | undefined {
  const spread = Math.max(...posted.map(({ microseconds }) => microseconds)) / bareLeast(posted);
  return spread > NOISE_AT_MOST ? `the rounds of undici alone differ by ${spread.toFixed(2)} x` : undefined;
}

/** Answers what it found, and the top rate of each store. */
export async function measureDrain(world: World): Promise<Found & { readonly top: ReadonlyMap<StoreName, number> }> {
  const [receivers, bare] = [await startReceivers(WEBHOOKS), startBarePost()];
  const { origins } = receivers;
  const posted: Posted[] = [];
  const rounds: Rounds = { SQLite: [], PostgreSQL: [] };
  await bare.ask({ origins, each: EACH, requests: POSTS / 2 });
  for (let round = 1; round <= ROUNDS; round += 1) {
    progress(`drain, round ${round} of ${ROUNDS} …`);
    posted.push(await bare.ask({ origins, each: EACH, requests: POSTS }));
    for (const store of STORES)
      rounds[store].push(await drain(world, store, receivers, `drain_${store.toLowerCase()}_${round}`));
  }
  receivers.end();
  bare.end();
  return {
    bars: STORES.flatMap((store) => [
      {
        name: `a delivery on ${store} against bare`,
        measured: least(rounds[store]) / bareLeast(posted),
        atMost: 2.5,
        unit: 'x',
      },
      {
        name: `GetMessageVersion p99, ${store}`,
        measured: median(rounds[store].map(({ waits }) => waits.p99)),
        atMost: 30,
        unit: 'ms',
      },
    ]),
    noise: noiseIn(posted),
    top: new Map(STORES.map((store) => [store, Math.max(...rounds[store].map(({ perSecond }) => perSecond))])),
    print: () => print(posted, rounds),
  };
}

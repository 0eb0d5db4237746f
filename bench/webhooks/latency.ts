// The part `latency`: how soon an event arrives after it was accepted, at a quarter of the top rate, and what its
// acceptance alone costs.
import type { PartResult } from '../harness/benchmark.ts';
import type { StoreName } from '../harness/processes/installations.ts';
import { STORES } from '../harness/processes/installations.ts';
import { progress, row, say, spreadCells } from '../harness/measure/report.ts';
import { measureLoad } from '../harness/measure/serverCost.ts';
import type { Spread } from '../harness/measure/statistics.ts';
import { spreadOf } from '../harness/measure/statistics.ts';
import type { Steward } from '../harness/processes/steward.ts';
import type { Load } from '../harness/load/wrk.ts';
import { sendLoad } from '../harness/load/wrk.ts';
import type { SendCost } from './bareSender.ts';
import { measureTopRate } from './drain.ts';
import { EVENT, payloadOf } from './events.ts';
import type { Fixtures } from './fixtures.ts';
import { eventForm, eventsPath, sendEvents, subscribe, subscribeAll } from './fixtures.ts';
import type { Receivers } from './receivers.ts';
import { startReceivers } from './receivers.ts';

const WEBHOOKS = 20;
const SECONDS = 10;
const WARM_UP_S = 3;
const LOAD_S = 3;
const MANY = 100;
const AT_MOST_MS = 50;

interface Latency {
  readonly fromAcceptance: Spread;
  readonly fromIntended: Spread;
  readonly acceptance: Spread;
}

interface Measured extends Latency {
  readonly perSecond: number;
  readonly single: SendCost;
  readonly many: SendCost;
}

async function measureArrivals(
  fixtures: Fixtures,
  steward: Steward,
  receivers: Receivers,
  { perSecond, seconds }: { readonly perSecond: number; readonly seconds: number },
): Promise<Latency> {
  await receivers.reset();
  const order = Array.from({ length: Math.round(perSecond * seconds) }, (_, n) => n % WEBHOOKS);
  const sent = await sendEvents(fixtures, steward, { order, perSecond });
  await receivers.reach(sent.length);
  const arrivals = await receivers.arrivals();
  const arrivalOf = (id: string): number => arrivals.get(id) ?? Number.POSITIVE_INFINITY;
  return {
    // An event may arrive before the answer about its acceptance.
    fromAcceptance: spreadOf(sent.map(({ id, answered }) => Math.max(0, arrivalOf(id) - answered))),
    fromIntended: spreadOf(sent.map(({ id, intended }) => arrivalOf(id) - intended)),
    acceptance: spreadOf(sent.map(({ intended, answered }) => answered - intended)),
  };
}

/** What one event costs, if a request has this many. */
async function measureAcceptance(steward: Steward, load: Load, events: number): Promise<SendCost> {
  await sendLoad(load, 1);
  const { microseconds, perSecond } = await measureLoad(steward, load, LOAD_S);
  return { microseconds: microseconds / events, perSecond: perSecond * events };
}

async function measureStore(fixtures: Fixtures, store: StoreName, topRate: number): Promise<Measured> {
  progress(`latency and acceptance on ${store} …`);
  const receivers = await startReceivers(WEBHOOKS);
  const steward = await fixtures.start(await fixtures.create(store, `latency_${store.toLowerCase()}`));
  await subscribeAll(steward, receivers.origins);
  const perSecond = topRate / 4;
  await measureArrivals(fixtures, steward, receivers, { perSecond, seconds: WARM_UP_S });
  const latency = await measureArrivals(fixtures, steward, receivers, { perSecond, seconds: SECONDS });
  // Deliveries of an inactive webhook are kept and not sent, so that only their acceptance costs anything.
  await subscribe(steward, WEBHOOKS, receivers.origins[0] ?? '', false);
  const { token, url } = steward;
  const one = { url: `${url}/admin${eventsPath(WEBHOOKS)}`, form: { token, ...eventForm(1) }, connections: 64 };
  const events = JSON.stringify(
    Array.from({ length: MANY }, (_, n) => ({ event: EVENT, payload: JSON.parse(payloadOf(n)) as unknown })),
  );
  const single = await measureAcceptance(steward, one, 1);
  const many = await measureAcceptance(steward, { ...one, form: { token, f: 'json', events }, connections: 16 }, MANY);
  await Promise.all([steward.end(), receivers.end()]);
  return { perSecond, ...latency, single, many };
}

function print(measured: ReadonlyMap<StoreName, Measured>): void {
  for (const [store, { perSecond, fromAcceptance, fromIntended, acceptance }] of measured) {
    say(`\n${store}: ${perSecond.toFixed(0)} events a second, a quarter of the top rate, for ${SECONDS} s\n`);
    say(row('', 'p50', 'p99', 'longest'));
    say(row('from acceptance to arrival', ...spreadCells(fromAcceptance)));
    say(row('from the intended time to acceptance', ...spreadCells(acceptance)));
    say(row('from the intended time to arrival', ...spreadCells(fromIntended)));
  }
  say('\nAcceptance of events that are kept for one webhook and not sent: CPU time of Steward\n');
  say(row('', 'µs/event', 'events/s'));
  for (const [store, { single, many }] of measured) {
    say(row(`${store}, one at a time`, single.microseconds.toFixed(1), single.perSecond.toFixed(0)));
    say(row(`${store}, arrays of ${MANY}`, many.microseconds.toFixed(1), many.perSecond.toFixed(0)));
  }
}

/** `topRates` are those that this run has measured already. */
export async function measureLatency(
  fixtures: Fixtures,
  topRates: ReadonlyMap<StoreName, number>,
): Promise<PartResult> {
  const measured = new Map<StoreName, Measured>();
  for (const store of STORES) {
    const topRate = topRates.get(store) ?? (await measureTopRate(fixtures, store));
    measured.set(store, await measureStore(fixtures, store, topRate));
  }
  return {
    bars: [...measured].map(([store, { fromAcceptance }]) => ({
      name: `acceptance to arrival p99, ${store}`,
      measured: fromAcceptance.p99,
      atMost: AT_MOST_MS,
      unit: 'ms',
    })),
    print: () => print(measured),
  };
}

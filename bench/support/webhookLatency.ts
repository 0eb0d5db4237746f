import { EVENT, payloadOf } from './events.ts';
import { spreadCells, spreadOf } from './percentile.ts';
import type { Spread } from './percentile.ts';
import type { Receivers } from './receivers.ts';
import { startReceivers } from './receivers.ts';
import { progress, row, say } from './report.ts';
import { cpuMicroseconds } from './running.ts';
import type { Client } from './steward.ts';
import { topRateOf } from './webhookDrain.ts';
import type { Found, StoreName } from './places.ts';
import { STORES } from './places.ts';
import type { World } from './webhookWorld.ts';
import { eventForm, eventHeaders, eventRequests, eventsPath, subscribe } from './webhookWorld.ts';
import type { Load } from './wrk.ts';
import { sendLoad } from './wrk.ts';

const WEBHOOKS = 20;
const SECONDS = 10;
const WARM_UP_S = 3;
const LOAD_S = 3;
const MANY = 100;
const ATMOST_MS = 50;

interface Accepting {
  readonly microseconds: number;
  readonly perSecond: number;
}

interface Flow {
  readonly rate: number;
  readonly fromAcceptance: Spread;
  readonly fromIntended: Spread;
  readonly acceptance: Spread;
  readonly single: Accepting;
  readonly many: Accepting;
}

async function flow({ openLoop }: World, steward: Client, receivers: Receivers, perSecond: number, seconds: number) {
  await receivers.reset();
  const sent = await openLoop.ask({
    kind: 'send',
    origin: steward.url,
    headers: eventHeaders(steward),
    requests: eventRequests(WEBHOOKS),
    order: Array.from({ length: Math.round(perSecond * seconds) }, (_, n) => n % WEBHOOKS),
    perSecond,
  });
  await receivers.reach(sent.length);
  const arrivals = await receivers.arrivals();
  const arrivalOf = (id: string): number => arrivals.get(id) ?? Number.POSITIVE_INFINITY;
  return {
    // An event may arrive before the answer that tells of its acceptance does.
    fromAcceptance: spreadOf(sent.map(({ id, answered }) => Math.max(0, arrivalOf(id) - answered))),
    fromIntended: spreadOf(sent.map(({ id, intended }) => arrivalOf(id) - intended)),
    acceptance: spreadOf(sent.map(({ intended, answered }) => answered - intended)),
  };
}

/** For a webhook that is inactive: its deliveries are kept and not sent, so that only their acceptance costs anything. */
async function accept(steward: Client, load: Load, events: number, folder: string): Promise<Accepting> {
  await sendLoad(load, 1, folder);
  const before = cpuMicroseconds(steward.pid);
  const { requests, perSecond } = await sendLoad(load, LOAD_S, folder);
  return { microseconds: (cpuMicroseconds(steward.pid) - before) / requests / events, perSecond: perSecond * events };
}

async function measure(world: World, store: StoreName, top: number, folder: string): Promise<Flow> {
  progress(`latency and acceptance on ${store} …`);
  const receivers = await startReceivers(WEBHOOKS);
  const steward = await world.start(await world.place(store, `latency_${store.toLowerCase()}`));
  for (const [n, origin] of receivers.origins.entries()) await subscribe(steward, n, `${origin}/`);
  const rate = top / 4;
  await flow(world, steward, receivers, rate, WARM_UP_S);
  const spreads = await flow(world, steward, receivers, rate, SECONDS);
  await subscribe(steward, WEBHOOKS, `${receivers.origins[0]}/`, false);
  const { token, url } = steward;
  const one = { url: `${url}${eventsPath(WEBHOOKS)}`, form: { token, ...eventForm(1) }, connections: 64 };
  const events = JSON.stringify(
    Array.from({ length: MANY }, (_, n) => ({ event: EVENT, payload: JSON.parse(payloadOf(n)) as unknown })),
  );
  const single = await accept(steward, one, 1, folder);
  const many = await accept(steward, { ...one, form: { token, f: 'json', events }, connections: 16 }, MANY, folder);
  await steward.end();
  receivers.end();
  return { rate, ...spreads, single, many };
}

function print(flows: ReadonlyMap<StoreName, Flow>): void {
  for (const [store, { rate, fromAcceptance, fromIntended, acceptance }] of flows) {
    say(`\n${store}: ${rate.toFixed(0)} events a second, a quarter of the top rate, for ${SECONDS} s\n`);
    say(row('', 'p50', 'p99', 'longest'));
    say(row('from acceptance to arrival', ...spreadCells(fromAcceptance)));
    say(row('from the intended time to acceptance', ...spreadCells(acceptance)));
    say(row('from the intended time to arrival', ...spreadCells(fromIntended)));
  }
  say('\nAcceptance of events that are kept for one webhook and not sent: CPU time of Steward\n');
  say(row('', 'µs/event', 'events/s'));
  for (const [store, { single, many }] of flows) {
    say(row(`${store}, one at a time`, single.microseconds.toFixed(1), single.perSecond.toFixed(0)));
    say(row(`${store}, arrays of ${MANY}`, many.microseconds.toFixed(1), many.perSecond.toFixed(0)));
  }
}

/** `known` are the top rates that were measured in this run. */
export async function measureLatency(
  world: World,
  folder: string,
  known: ReadonlyMap<StoreName, number>,
): Promise<Found> {
  const flows = new Map<StoreName, Flow>();
  for (const store of STORES) {
    const top = known.get(store) ?? (await topRateOf(world, store));
    flows.set(store, await measure(world, store, top, folder));
  }
  return {
    bars: [...flows].map(([store, { fromAcceptance }]) => ({
      name: `acceptance to arrival p99, ${store}`,
      measured: fromAcceptance.p99,
      atMost: ATMOST_MS,
      unit: 'ms',
    })),
    print: () => print(flows),
  };
}

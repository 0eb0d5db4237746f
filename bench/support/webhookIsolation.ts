import type { Spread } from './percentile.ts';
import { spreadCells, spreadOf } from './percentile.ts';
import type { Receivers } from './receivers.ts';
import { startReceivers } from './receivers.ts';
import { median, progress, row, say } from './report.ts';
import type { Client } from './steward.ts';
import { post } from './steward.ts';
import type { World } from './webhookWorld.ts';
import type { Found } from './places.ts';
import { eventHeaders, eventRequests, subscribe } from './webhookWorld.ts';

const WEBHOOKS = 200;
const HANGING = 0;
const PER_SECOND = 400;
const SECONDS = 8;
const PAIRS = 5;
/** Shorter than a run, so that it runs out again and again in each. */
const TIME_OUT_S = 2;
const AT_MOST = 1.25;

/** Of ten events three go to the one webhook, and the others take turns. */
function order(): readonly number[] {
  let other = 0;
  return Array.from({ length: PER_SECOND * SECONDS }, (_, n) => {
    if ([0, 3, 6].includes(n % 10)) return HANGING;
    other = (other % (WEBHOOKS - 1)) + 1;
    return other;
  });
}

/** From the intended time to arrival, of all events but those of the one webhook. */
async function run(world: World, steward: Client, receivers: Receivers, hangs: boolean): Promise<Spread> {
  await receivers.reset();
  await receivers.hang(hangs ? HANGING : -1);
  const plan = order();
  const sent = await world.openLoop.ask({
    kind: 'send',
    origin: steward.url,
    headers: eventHeaders(steward),
    requests: eventRequests(WEBHOOKS),
    order: plan,
    perSecond: PER_SECOND,
  });
  // It answers at once from here on, so that nothing is left over for the next run.
  await receivers.hang(-1);
  await receivers.reach(plan.length);
  const arrivals = await receivers.arrivals();
  const others = sent.filter(({ index }) => index !== HANGING);
  return spreadOf(others.map(({ id, intended }) => (arrivals.get(id) ?? Number.POSITIVE_INFINITY) - intended));
}

interface Pair {
  readonly alone: Spread;
  readonly beside: Spread;
}

async function pairOf(n: number, measure: (hangs: boolean) => Promise<Spread>): Promise<Pair> {
  progress(`isolation, pair ${n} of ${PAIRS} …`);
  if (n % 2 === 0) {
    const beside = await measure(true);
    return { alone: await measure(false), beside };
  }
  const alone = await measure(false);
  return { alone, beside: await measure(true) };
}

export async function measureIsolation(world: World): Promise<Found> {
  const receivers = await startReceivers(WEBHOOKS);
  const steward = await world.start(await world.place('SQLite', 'isolation'));
  progress(`subscribing ${WEBHOOKS} webhooks …`);
  for (const [n, origin] of receivers.origins.entries()) await subscribe(steward, n, `${origin}/`);
  const policy = {
    notificationAttempts: '1',
    notificationTimeOutInSeconds: `${TIME_OUT_S}`,
    numberOfFailures: '100000',
  };
  const form = new URLSearchParams({ token: steward.token, f: 'json', ...policy });
  await post(`${steward.url}/admin/services/webhooks/settings`, form);
  const measure = (hangs: boolean) => run(world, steward, receivers, hangs);
  await measure(false);
  const pairs: Pair[] = [];
  for (let n = 1; n <= PAIRS; n += 1) pairs.push(await pairOf(n, measure));
  await steward.end();
  receivers.end();
  const ratios = pairs.map(({ alone, beside }) => beside.p99 / alone.p99);
  return {
    bars: [{ name: 'p99 beside one that hangs', measured: median(ratios), atMost: AT_MOST, unit: 'x' }],
    print() {
      say(
        `\n${WEBHOOKS} webhooks on SQLite, ${PER_SECOND} events a second for ${SECONDS} s, 30 % of them to one webhook:`,
      );
      say('from the intended time to arrival, of the others\n');
      say(row('', 'p50', 'p99', 'longest', 'p99 ratio'));
      for (const [n, { alone, beside }] of pairs.entries()) {
        say(row(`pair ${n + 1}, it answers at once`, ...spreadCells(alone)));
        say(row(`pair ${n + 1}, it hangs`, ...spreadCells(beside), (ratios[n] ?? 0).toFixed(2)));
      }
    },
  };
}

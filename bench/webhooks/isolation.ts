// The part `isolation`: whether a receiver that hangs, and gets 30 % of all events, delays the events of the others.
import type { PartResult } from '../harness/benchmark.ts';
import { progress, row, say, spreadCells } from '../harness/measure/report.ts';
import type { Spread } from '../harness/measure/statistics.ts';
import { median, spreadOf } from '../harness/measure/statistics.ts';
import type { Steward } from '../harness/processes/steward.ts';
import type { Fixtures } from './fixtures.ts';
import { sendEvents, subscribeAll } from './fixtures.ts';
import type { Receivers } from './receivers.ts';
import { startReceivers } from './receivers.ts';

const WEBHOOKS = 200;
const HANGING = 0;
const PER_SECOND = 400;
const SECONDS = 8;
const PAIRS = 5;
const RATIO_AT_MOST = 1.25;
/** The time-out is shorter than a run, so that it expires several times in each. */
const POLICY = { notificationAttempts: '1', notificationTimeOutInSeconds: '2', numberOfFailures: '100000' };

/** Three of ten events go to the receiver that may hang; the others take turns. */
function eventOrder(): readonly number[] {
  let other = 0;
  return Array.from({ length: PER_SECOND * SECONDS }, (_, n) => {
    if ([0, 3, 6].includes(n % 10)) return HANGING;
    other = (other % (WEBHOOKS - 1)) + 1;
    return other;
  });
}

/** From the intended time to arrival, of the events of all other receivers. */
async function measureRun(fixtures: Fixtures, steward: Steward, receivers: Receivers, hangs: boolean): Promise<Spread> {
  await receivers.reset();
  await receivers.hang(hangs ? [HANGING] : []);
  const order = eventOrder();
  const sent = await sendEvents(fixtures, steward, { order, perSecond: PER_SECOND });
  // All answer from here on, so that no delivery is left for the next run.
  await receivers.hang([]);
  await receivers.reach(order.length);
  const arrivals = await receivers.arrivals();
  const others = sent.filter(({ index }) => index !== HANGING);
  return spreadOf(others.map(({ id, intended }) => (arrivals.get(id) ?? Number.POSITIVE_INFINITY) - intended));
}

interface Pair {
  readonly alone: Spread;
  readonly beside: Spread;
}

/** Every second pair starts with the receiver that hangs. */
async function measurePair(n: number, measure: (hangs: boolean) => Promise<Spread>): Promise<Pair> {
  progress(`isolation, pair ${n} of ${PAIRS} …`);
  if (n % 2 === 0) {
    const beside = await measure(true);
    return { alone: await measure(false), beside };
  }
  const alone = await measure(false);
  return { alone, beside: await measure(true) };
}

const ratioOf = ({ alone, beside }: Pair): number => beside.p99 / alone.p99;

function print(pairs: readonly Pair[]): void {
  const rate = `${PER_SECOND} events a second for ${SECONDS} s`;
  say(`\n${WEBHOOKS} webhooks on SQLite, ${rate}, 30 % of them to one webhook:`);
  say('from the intended time to arrival, of the others\n');
  say(row('', 'p50', 'p99', 'longest', 'p99 ratio'));
  for (const [n, pair] of pairs.entries()) {
    say(row(`pair ${n + 1}, it answers at once`, ...spreadCells(pair.alone)));
    say(row(`pair ${n + 1}, it hangs`, ...spreadCells(pair.beside), ratioOf(pair).toFixed(2)));
  }
}

export async function measureIsolation(fixtures: Fixtures): Promise<PartResult> {
  const receivers = await startReceivers(WEBHOOKS);
  const steward = await fixtures.start(await fixtures.create('SQLite', 'isolation'));
  progress(`subscribing ${WEBHOOKS} webhooks …`);
  await subscribeAll(steward, receivers.origins);
  await steward.post('/services/webhooks/settings', POLICY);
  const measure = (hangs: boolean) => measureRun(fixtures, steward, receivers, hangs);
  await measure(false);
  const pairs: Pair[] = [];
  for (let n = 1; n <= PAIRS; n += 1) pairs.push(await measurePair(n, measure));
  await Promise.all([steward.end(), receivers.end()]);
  const ratio = median(pairs.map(ratioOf));
  return {
    bars: [{ name: 'p99 beside one that hangs', measured: ratio, atMost: RATIO_AT_MOST, unit: 'x' }],
    print: () => print(pairs),
  };
}

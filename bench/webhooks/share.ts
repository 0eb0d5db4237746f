// The part `share`: how many deliveries are sent beside senders that publish as fast as they can, against how many without them.
import { setTimeout as sleep } from 'node:timers/promises';
import type { PartResult } from '../harness/benchmark.ts';
import { progress, row, say } from '../harness/measure/report.ts';
import { median } from '../harness/measure/statistics.ts';
import type { Steward } from '../harness/processes/steward.ts';
import { EVENT } from './events.ts';
import type { Fixtures } from './fixtures.ts';
import { eventsPath, subscribeAll } from './fixtures.ts';
import type { Receivers } from './receivers.ts';
import { startReceivers } from './receivers.ts';

const SENDERS = 3;
const EVENTS = JSON.stringify(
  Array.from({ length: 500 }, (_, n) => ({ event: EVENT, payload: { n, text: 'x'.repeat(100) } })),
);
const MEASURED_MS = 5000;
const PAIRS = 3;
/** Without turns it is about 10. */
const RATIO_AT_MOST = 4;

interface Pair {
  readonly beside: number;
  readonly alone: number;
}

async function deliveriesPerSecond(receivers: Receivers): Promise<number> {
  const [before, began] = [(await receivers.count()).requests, performance.now()];
  await sleep(MEASURED_MS);
  return ((await receivers.count()).requests - before) / ((performance.now() - began) / 1000);
}

/** The backlog of the senders is delivered when they have stopped. */
async function measurePair(steward: Steward, receivers: Receivers): Promise<Pair> {
  const over = new AbortController();
  const senders = Array.from({ length: SENDERS }, async () => {
    while (!over.signal.aborted) await steward.post(eventsPath(0), { events: EVENTS });
  });
  // Until deliveries are behind.
  await sleep(MEASURED_MS / 2);
  const beside = await deliveriesPerSecond(receivers);
  over.abort();
  await Promise.all(senders);
  return { beside, alone: await deliveriesPerSecond(receivers) };
}

export async function measureShare(fixtures: Fixtures): Promise<PartResult> {
  const receivers = await startReceivers(1);
  const steward = await fixtures.start(await fixtures.create('SQLite', 'share'));
  await subscribeAll(steward, receivers.origins);
  const pairs: Pair[] = [];
  for (let n = 1; n <= PAIRS; n += 1) {
    progress(`share, pair ${n} of ${PAIRS} …`);
    pairs.push(await measurePair(steward, receivers));
  }
  await Promise.all([steward.end(), receivers.end()]);
  const ratio = median(pairs.map(({ beside, alone }) => alone / beside));
  return {
    bars: [
      { name: 'deliveries without publishers against beside them', measured: ratio, atMost: RATIO_AT_MOST, unit: 'x' },
    ],
    print() {
      say(`\nDeliveries to one receiver on SQLite, a second, beside ${SENDERS} senders of arrays of 500 events:\n`);
      say(row('', 'beside', 'alone'));
      for (const [n, { beside, alone }] of pairs.entries())
        say(row(`pair ${n + 1}`, Math.round(beside).toString(), Math.round(alone).toString()));
    },
  };
}

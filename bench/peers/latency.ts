// The part `latency`: how soon events arrive that are sent one by one, and what one receiver that hangs does to the others.
import type { PartResult } from '../harness/benchmark.ts';
import { progress, row, say } from '../harness/measure/report.ts';
import type { Spread } from '../harness/measure/statistics.ts';
import { spreadOf } from '../harness/measure/statistics.ts';
import type { Receivers } from '../webhooks/receivers.ts';
import { startReceivers } from '../webhooks/receivers.ts';
import type { Contender, RunningContender } from './contenders.ts';

const RECEIVERS = 20;
const HANGING = 0;
const PER_SECOND = 400;
const [WARM_UP_S, SECONDS] = [4, 8];
/** What arrives later than this after the last event was sent is counted with this time. */
const PATIENCE_MS = 30_000;
const POLL_EVERY_MS = 200;
const AT_MOST_MS: Readonly<Record<string, number>> = { 'Steward on PostgreSQL': 30, 'Steward on SQLite': 20 };

interface Latency {
  readonly alone: Spread;
  readonly besideHanging: Spread;
}

const orderFor = (seconds: number) => Array.from({ length: PER_SECOND * seconds }, (_, n) => n % RECEIVERS);

/** From the intended time to arrival, of all receivers but the one that may hang. */
async function measureRun(running: RunningContender, receivers: Receivers, hangs: boolean): Promise<Spread> {
  await receivers.reset();
  await receivers.hang(hangs ? [HANGING] : []);
  const sent = await running.send(orderFor(SECONDS), PER_SECOND);
  const others = sent.filter(({ index }) => index !== HANGING);
  let arrivals = await receivers.arrivals();
  for (let waited = 0; waited < PATIENCE_MS && others.some(({ id }) => !arrivals.has(id)); waited += POLL_EVERY_MS) {
    await new Promise((resolve) => setTimeout(resolve, POLL_EVERY_MS));
    arrivals = await receivers.arrivals();
  }
  await receivers.hang([]);
  return spreadOf(others.map(({ id, intended }) => (arrivals.get(id) ?? intended + PATIENCE_MS) - intended));
}

async function measureOne(contender: Contender): Promise<Latency> {
  const receivers = await startReceivers(RECEIVERS);
  const start = await contender.prepare('latency', receivers.origins, 0);
  const running = await start();
  await running.send(orderFor(WARM_UP_S), PER_SECOND);
  const alone = await measureRun(running, receivers, false);
  const besideHanging = await measureRun(running, receivers, true);
  await running.end();
  await receivers.end();
  return { alone, besideHanging };
}

export async function measureLatency(all: readonly Contender[]): Promise<PartResult> {
  const results = new Map<string, Latency>();
  for (const contender of all) {
    progress(`latency, ${contender.name} …`);
    results.set(contender.name, await measureOne(contender));
  }
  return {
    bars: Object.entries(AT_MOST_MS).map(([name, atMost]) => ({
      name: `p99 at 400/s, ${name}`,
      measured: results.get(name)?.alone.p99 ?? Number.NaN,
      atMost,
      unit: 'ms',
    })),
    print() {
      say(
        `\n${PER_SECOND} events a second for ${SECONDS} s: from the intended time to arrival; then one receiver hangs\n`,
      );
      say(row('', 'p50', 'p99', 'others p50', 'others p99'));
      for (const [name, { alone, besideHanging }] of results) {
        const times = [alone.p50, alone.p99, besideHanging.p50, besideHanging.p99];
        say(row(name, ...times.map((ms) => `${ms.toFixed(1)} ms`)));
      }
    },
  };
}

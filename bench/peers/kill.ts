// The part `kill`: a process is killed, and another one continues. How long until the deliveries that were under way are sent again, and
// until a whole backlog has arrived?
import { setTimeout as sleep } from 'node:timers/promises';
import type { PartResult } from '../harness/benchmark.ts';
import { progress, row, say } from '../harness/measure/report.ts';
import { startReceivers } from '../webhooks/receivers.ts';
import type { Contender } from './contenders.ts';

const RECEIVERS = 20;
const POLL_EVERY_MS = 20;

const TAKEN_OVER_AT_MOST_S = 2;
const TAKE_OVER_PATIENCE_S = 20;

/** Of the backlog that the part `drain` uses: graphile-worker with named queues takes ten a second. */
const SHARE = 0.5;
const KILLED_AT = 0.3;
/** A start, the rest of the backlog at half the usual speed, and two seconds until the claims are taken over. */
const ARRIVED_AT_MOST_S = 8;
const ARRIVAL_PATIENCE_S = 60;

/** Kills a process. Returns a function that waits for a count and returns the seconds since the kill, or infinity without patience. */
function kill(pid: number, patienceS: number) {
  process.kill(pid, 'SIGKILL');
  const since = performance.now();
  const seconds = (): number => (performance.now() - since) / 1000;
  return async (expected: number, count: () => Promise<number>): Promise<number> => {
    while ((await count()) < expected) {
      if (seconds() > patienceS) return Number.POSITIVE_INFINITY;
      await sleep(POLL_EVERY_MS);
    }
    return seconds();
  };
}

/** One delivery to each receiver is under way. A replica takes them over, or a new process where there are no replicas. */
async function measureTakeOver(contender: Contender): Promise<number> {
  const receivers = await startReceivers(RECEIVERS);
  await receivers.hang(receivers.origins.map((_, n) => n));
  const start = await contender.prepare('take_over', receivers.origins, RECEIVERS);
  const victim = await start();
  await receivers.reach(RECEIVERS);
  const replica = contender.hasReplicas ? await start() : undefined;
  const secondsUntil = kill(victim.pid, TAKE_OVER_PATIENCE_S);
  const [, next] = await Promise.all([victim.end(), replica ?? start()]);
  const seconds = await secondsUntil(RECEIVERS, async () => (await receivers.count()).repeated);
  await receivers.hang([]);
  await next.end();
  await receivers.end();
  return seconds;
}

/** A process works off a backlog when it is killed, and a new one is started at once. */
async function measureArrival(contender: Contender, deliveries: number): Promise<number> {
  const receivers = await startReceivers(RECEIVERS);
  const start = await contender.prepare('kill', receivers.origins, deliveries);
  const victim = await start();
  await receivers.reach(deliveries * KILLED_AT);
  const secondsUntil = kill(victim.pid, ARRIVAL_PATIENCE_S);
  const [, next] = await Promise.all([victim.end(), start()]);
  const seconds = await secondsUntil(deliveries, async () => (await receivers.arrivals()).size);
  await next.end();
  await receivers.end();
  return seconds;
}

interface KillFigures {
  readonly takenOver: number;
  readonly backlog: number;
  readonly arrived: number;
}

const inSeconds = (value: number, patienceS: number) =>
  Number.isFinite(value) ? `${value.toFixed(1)} s` : `not in ${patienceS} s`;

function barsOf(results: ReadonlyMap<string, KillFigures>) {
  return ['Steward on PostgreSQL', 'Steward on SQLite'].flatMap((name) => {
    const { takenOver, arrived } = results.get(name) ?? { takenOver: Number.NaN, arrived: Number.NaN };
    return [
      { name: `taken over, ${name}`, measured: takenOver, atMost: TAKEN_OVER_AT_MOST_S, unit: 's' },
      { name: `backlog arrived, ${name}`, measured: arrived, atMost: ARRIVED_AT_MOST_S, unit: 's' },
    ];
  });
}

export async function measureKill(all: readonly Contender[]): Promise<PartResult> {
  const results = new Map<string, KillFigures>();
  for (const contender of all) {
    progress(`kill, ${contender.name} …`);
    const takenOver = await measureTakeOver(contender);
    const backlog = contender.backlog * SHARE;
    results.set(contender.name, { takenOver, backlog, arrived: await measureArrival(contender, backlog) });
  }
  return {
    bars: barsOf(results),
    print() {
      say(
        '\nkill -9: until a replica has sent what was under way; until a new process has sent the rest of a backlog\n',
      );
      say(row('', 'taken over', 'backlog', 'arrived'));
      for (const [name, { takenOver, backlog, arrived }] of results) {
        const takenOverIn = inSeconds(takenOver, TAKE_OVER_PATIENCE_S);
        say(row(name, takenOverIn, String(backlog), inSeconds(arrived, ARRIVAL_PATIENCE_S)));
      }
    },
  };
}

// The part `kill`: a process is killed while it works off a backlog, and another one is started at once. How long until everything has
// arrived?
import { setTimeout as sleep } from 'node:timers/promises';
import type { PartResult } from '../harness/benchmark.ts';
import { progress, row, say } from '../harness/measure/report.ts';
import { startReceivers } from '../webhooks/receivers.ts';
import type { Contender } from './contenders.ts';

const RECEIVERS = 20;
/** Of the backlog that the part `drain` uses: graphile-worker with named queues takes ten a second. */
const SHARE = 0.5;
const KILLED_AT = 0.3;
const PATIENCE_S = 60;
const POLL_EVERY_MS = 50;
/** A start, the rest of the backlog at half the usual speed, and two seconds until the claims are taken over. */
const AT_MOST_S = 8;

/** `seconds` is undefined if something has not arrived after `PATIENCE_S`. */
async function measureOne(
  contender: Contender,
): Promise<{ readonly deliveries: number; readonly seconds: number | undefined; readonly left: number }> {
  const deliveries = contender.backlog * SHARE;
  const receivers = await startReceivers(RECEIVERS);
  const start = await contender.prepare('kill', receivers.origins, deliveries);
  const victim = await start();
  await receivers.reach(deliveries * KILLED_AT);
  process.kill(victim.pid, 'SIGKILL');
  const killedAt = performance.now();
  const [, next] = await Promise.all([victim.end(), start()]);
  const arrived = async (): Promise<number> => (await receivers.arrivals()).size;
  const secondsSoFar = (): number => (performance.now() - killedAt) / 1000;
  let count = await arrived();
  while (count < deliveries && secondsSoFar() < PATIENCE_S) {
    await sleep(POLL_EVERY_MS);
    count = await arrived();
  }
  const seconds = count < deliveries ? undefined : secondsSoFar();
  await next.end();
  await receivers.end();
  return { deliveries, seconds, left: deliveries - count };
}

export async function measureKill(all: readonly Contender[]): Promise<PartResult> {
  const results = new Map<string, Awaited<ReturnType<typeof measureOne>>>();
  for (const contender of all) {
    progress(`kill, ${contender.name} …`);
    results.set(contender.name, await measureOne(contender));
  }
  return {
    bars: ['Steward on PostgreSQL', 'Steward on SQLite'].map((name) => ({
      name: `all arrived after a kill, ${name}`,
      measured: results.get(name)?.seconds ?? Number.POSITIVE_INFINITY,
      atMost: AT_MOST_S,
      unit: 's',
    })),
    print() {
      say('\nkill -9 while deliveries are worked off, and a new process at once\n');
      say(row('', 'deliveries', 'all arrived', 'missing'));
      for (const [name, { deliveries, seconds, left }] of results) {
        const arrived = seconds === undefined ? `not in ${PATIENCE_S} s` : `${seconds.toFixed(1)} s`;
        say(row(name, String(deliveries), arrived, String(left)));
      }
    },
  };
}

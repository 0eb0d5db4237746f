import { setTimeout as sleep } from 'node:timers/promises';
import type { PartResult } from '../harness/benchmark.ts';
import type { Installation } from '../harness/processes/installations.ts';
import { residentMb } from '../harness/measure/processUsage.ts';
import { progress, row, say } from '../harness/measure/report.ts';
import { best, median, worst } from '../harness/measure/statistics.ts';
import type { Fixtures } from './fixtures.ts';
import type { Receivers } from './receivers.ts';
import { startReceivers } from './receivers.ts';

const WEBHOOKS = 20;
const [FEW, MANY] = [1000, 1_000_000];
/** What the courier claims in one transaction. */
const CLAIMED_AT_ONCE = 200;
const CLAIMS = 50;
const ROUNDS = 4;
/** After this time all connections are open and the heap has grown to its size. */
const WARM_UP_S = 5;
const WATCHED_S = 4;
const BETWEEN_S = 10;
const POLL_EVERY_MS = 100;
const GROWTH_AT_MOST_MB = 60;
const MEMORY_AT_MOST_MB = 400;

/** The maximum over some seconds does not depend on when garbage is collected. */
async function peakMb(pid: number): Promise<number> {
  let mb = 0;
  for (const began = performance.now(); performance.now() - began < WATCHED_S * 1000; await sleep(POLL_EVERY_MS))
    mb = Math.max(mb, residentMb(pid));
  return mb;
}

async function drain(fixtures: Fixtures, installation: Installation, receivers: Receivers) {
  progress('draining a part of the million …');
  const steward = await fixtures.start(installation);
  await sleep(WARM_UP_S * 1000);
  const early = await peakMb(steward.pid);
  await sleep(BETWEEN_S * 1000);
  const late = await peakMb(steward.pid);
  const { requests: delivered } = await receivers.count();
  await steward.end();
  return { early, late, delivered };
}

/** The two take turns, so that a busy machine slows both. */
async function measureClaims({ backlog }: Fixtures, few: Installation, many: Installation) {
  progress('claiming among a thousand, and among a million …');
  const claim = async (installation: Installation): Promise<number> =>
    median(await backlog.ask({ kind: 'claim', installation, times: CLAIMS, atOnce: CLAIMED_AT_ONCE }));
  const [fewMs, manyMs]: [number[], number[]] = [[], []];
  for (let round = 1; round <= ROUNDS; round += 1) {
    fewMs.push(await claim(few));
    manyMs.push(await claim(many));
  }
  return { fewMs, manyMs };
}

/** Fills a new installation, and measures how long that takes. */
async function fill({ backlog, create }: Fixtures, name: string, events: number, origins: readonly string[]) {
  const installation = await create('SQLite', name);
  progress(`accepting ${events} events …`);
  const began = performance.now();
  await backlog.ask({ kind: 'fill', installation, origins, events });
  return { installation, seconds: (performance.now() - began) / 1000 };
}

async function measure(fixtures: Fixtures) {
  const receivers = await startReceivers(WEBHOOKS);
  const few = await fill(fixtures, 'thousand', FEW, receivers.origins);
  const many = await fill(fixtures, 'million', MANY, receivers.origins);
  const claims = await measureClaims(fixtures, few.installation, many.installation);
  const memory = await drain(fixtures, many.installation, receivers);
  await receivers.end();
  return { seconds: many.seconds, ...claims, ...memory };
}

function print({ seconds, fewMs, manyMs, early, late, delivered }: Awaited<ReturnType<typeof measure>>): void {
  say(`\nA million deliveries on SQLite, accepted in ${seconds.toFixed(0)} s`);
  say(`\nA claim of ${CLAIMED_AT_ONCE} deliveries of ${WEBHOOKS} webhooks, on disk, best of ${ROUNDS} medians\n`);
  say(row('waiting', 'best', 'worst'));
  for (const [waiting, ms] of [[FEW, fewMs] as const, [MANY, manyMs] as const])
    say(row(String(waiting), ...[best(ms), worst(ms)].map((one) => `${one.toFixed(2)} ms`)));
  const [first, last] = [WARM_UP_S + WATCHED_S, WARM_UP_S + 2 * WATCHED_S + BETWEEN_S];
  say(`\nmemory after ${first} s: ${early.toFixed(0)} MB, after ${last} s: ${late.toFixed(0)} MB`);
  say(`delivered meanwhile: ${delivered}`);
}

/** The part `million`: whether a claim takes longer, and memory grows, when a million deliveries wait. */
export async function measureMillion(fixtures: Fixtures): Promise<PartResult> {
  const measured = await measure(fixtures);
  const { fewMs, manyMs, early, late } = measured;
  return {
    bars: [
      { name: 'a claim, a million waiting', measured: best(manyMs) / best(fewMs), atMost: 1.5, unit: 'x' },
      { name: 'memory, a million waiting', measured: Math.max(early, late), atMost: MEMORY_AT_MOST_MB, unit: 'MB' },
      { name: 'its growth while draining', measured: late - early, atMost: GROWTH_AT_MOST_MB, unit: 'MB' },
    ],
    print: () => print(measured),
  };
}

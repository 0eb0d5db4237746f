import { setTimeout as sleep } from 'node:timers/promises';
import type { Found, Place } from './places.ts';
import type { Receivers } from './receivers.ts';
import { startReceivers } from './receivers.ts';
import { best, median, progress, row, say } from './report.ts';
import { residentMb } from './running.ts';
import type { World } from './webhookWorld.ts';

const WEBHOOKS = 20;
const [FEW, MANY] = [1000, 1_000_000];
/** As the courier asks: so many deliveries of 20 webhooks in one transaction. */
const CLAIMED_AT_ONCE = 200;
const CLAIMS = 50;
const ROUNDS = 4;
/** By then every connection is open, and the heap has the size that the work asks for. */
const WARM_S = 5;
const LOOKED_AT_S = 4;
const BETWEEN_S = 10;
const LOOK_EVERY_MS = 100;
const GROWTH_AT_MOST_MB = 60;
const MEMORY_AT_MOST_MB = 400;

interface Memory {
  readonly early: number;
  readonly late: number;
  readonly delivered: number;
}

/** The most within some seconds, so that it does not matter where between two collections of garbage one looks. */
async function most(pid: number, seconds: number): Promise<number> {
  let mb = 0;
  for (const began = performance.now(); performance.now() - began < seconds * 1000; await sleep(LOOK_EVERY_MS))
    mb = Math.max(mb, residentMb(pid));
  return mb;
}

async function drain(world: World, place: Place, receivers: Receivers): Promise<Memory> {
  const steward = await world.start(place);
  await sleep(WARM_S * 1000);
  const early = await most(steward.pid, LOOKED_AT_S);
  await sleep(BETWEEN_S * 1000);
  const late = await most(steward.pid, LOOKED_AT_S);
  const { requests: delivered } = await receivers.count();
  await steward.end();
  return { early, late, delivered };
}

/** The two take turns, so that a busy machine slows both. */
async function claims({ backlog }: World, few: Place, many: Place) {
  const [ofFew, ofMany]: [number[], number[]] = [[], []];
  for (let round = 1; round <= ROUNDS; round += 1) {
    ofFew.push(median(await backlog.claim(few, CLAIMS, CLAIMED_AT_ONCE)));
    ofMany.push(median(await backlog.claim(many, CLAIMS, CLAIMED_AT_ONCE)));
  }
  return { ofFew, ofMany };
}

export async function measureMillion(world: World): Promise<Found> {
  const receivers = await startReceivers(WEBHOOKS);
  const [few, many] = [await world.place('SQLite', 'thousand'), await world.place('SQLite', 'million')];
  await world.backlog.fill(few, receivers.origins, FEW);
  progress(`accepting ${MANY} events …`);
  const began = performance.now();
  await world.backlog.fill(many, receivers.origins, MANY);
  const seconds = (performance.now() - began) / 1000;
  progress('claiming among a thousand, and among a million …');
  const { ofFew, ofMany } = await claims(world, few, many);
  progress('draining a part of the million …');
  const { early, late, delivered } = await drain(world, many, receivers);
  receivers.end();
  return {
    bars: [
      { name: 'a claim, a million waiting', measured: best(ofMany) / best(ofFew), atMost: 1.5, unit: 'x' },
      { name: 'memory, a million waiting', measured: Math.max(early, late), atMost: MEMORY_AT_MOST_MB, unit: 'MB' },
      { name: 'its growth while draining', measured: late - early, atMost: GROWTH_AT_MOST_MB, unit: 'MB' },
    ],
    print() {
      say(`\nA million deliveries on SQLite, accepted in ${seconds.toFixed(0)} s`);
      say(`\nA claim of ${CLAIMED_AT_ONCE} deliveries of ${WEBHOOKS} webhooks, on disk, best of ${ROUNDS} medians\n`);
      say(row('waiting', 'best', 'worst'));
      for (const [waiting, ms] of [[FEW, ofFew] as const, [MANY, ofMany] as const])
        say(row(String(waiting), ...[best(ms), Math.max(...ms)].map((one) => `${one.toFixed(2)} ms`)));
      const [first, last] = [WARM_S + LOOKED_AT_S, WARM_S + 2 * LOOKED_AT_S + BETWEEN_S];
      say(`\nmemory after ${first} s: ${early.toFixed(0)} MB, after ${last} s: ${late.toFixed(0)} MB`);
      say(`delivered meanwhile: ${delivered}`);
    },
  };
}

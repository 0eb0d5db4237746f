import { join } from 'node:path';
import { watchNeighbours } from './support/neighbours.ts';
import { benchmark, printBars, progress, verdict } from './support/report.ts';
import { openFolder } from './support/running.ts';
import { measureDrain } from './support/webhookDrain.ts';
import { measureIsolation } from './support/webhookIsolation.ts';
import { measureLatency } from './support/webhookLatency.ts';
import { measureMillion } from './support/webhookMillion.ts';
import type { Found, StoreName } from './support/places.ts';
import type { World } from './support/webhookWorld.ts';
import { openWorld } from './support/webhookWorld.ts';

const PROJECT = join(import.meta.dirname, '..', '..');
const PARTS = ['drain', 'latency', 'million', 'isolation'] as const;
type Part = (typeof PARTS)[number];

/** `npm run bench -- webhooks latency isolation` runs these two; without names, all. */
function wantedParts(): readonly Part[] {
  const named = process.argv.slice(3);
  const unknown = named.filter((name) => !PARTS.some((part) => part === name));
  if (unknown.length > 0) {
    progress(`npm run bench -- webhooks [${PARTS.join('] [')}]; there is no ${unknown.join(', ')}`);
    process.exit(2);
  }
  return named.length === 0 ? PARTS : PARTS.filter((part) => named.includes(part));
}

async function measure(world: World, folder: string, parts: readonly Part[]): Promise<readonly Found[]> {
  let top: ReadonlyMap<StoreName, number> = new Map();
  const measureOne: Readonly<Record<Part, () => Promise<Found>>> = {
    async drain() {
      const drained = await measureDrain(world);
      ({ top } = drained);
      return drained;
    },
    latency: () => measureLatency(world, folder, top),
    million: () => measureMillion(world),
    isolation: () => measureIsolation(world),
  };
  const found: Found[] = [];
  for (const part of parts) {
    const neighbours = watchNeighbours();
    const one = await measureOne[part]();
    const noise = neighbours() ?? one.noise;
    one.print();
    found.push({ ...one, noise: noise === undefined ? undefined : `${part}: ${noise}` });
  }
  return found;
}

/** Answers the exit code. */
async function run(folder: string, parts: readonly Part[]): Promise<number> {
  const world = openWorld(PROJECT, folder);
  const found = await measure(world, folder, parts);
  await world.end();
  const bars = found.flatMap((one) => one.bars);
  printBars(bars);
  return verdict('webhooks', bars, found.find(({ noise }) => noise !== undefined)?.noise);
}

const parts = wantedParts();
await benchmark('webhooks', () => run(openFolder(PROJECT), parts));

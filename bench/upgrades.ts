import { join } from 'node:path';
import { watchNeighbours } from './support/neighbours.ts';
import type { Found, Places } from './support/places.ts';
import { openPlaces } from './support/places.ts';
import { benchmark, printBars, progress, verdict } from './support/report.ts';
import { openFolder } from './support/running.ts';
import { measureFollowers } from './support/upgradeFollowers.ts';
import { measureStatus } from './support/upgradeStatus.ts';
import { measureWaves } from './support/upgradeWaves.ts';

const PROJECT = join(import.meta.dirname, '..', '..');
const PARTS = ['waves', 'status', 'followers'] as const;
type Part = (typeof PARTS)[number];

/** `npm run bench -- upgrades status followers` runs these two; without names, all. */
function wantedParts(): readonly Part[] {
  const named = process.argv.slice(3);
  const unknown = named.filter((name) => !PARTS.some((part) => part === name));
  if (unknown.length > 0) {
    progress(`npm run bench -- upgrades [${PARTS.join('] [')}]; there is no ${unknown.join(', ')}`);
    process.exit(2);
  }
  return named.length === 0 ? PARTS : PARTS.filter((part) => named.includes(part));
}

async function measure(places: Places, folder: string, parts: readonly Part[]): Promise<readonly Found[]> {
  const measureOne: Readonly<Record<Part, () => Promise<Found>>> = {
    waves: () => measureWaves(places, PROJECT),
    status: () => measureStatus(places, PROJECT, folder),
    followers: () => measureFollowers(places, PROJECT),
  };
  const found: Found[] = [];
  for (const part of parts) {
    const neighbours = watchNeighbours();
    const one = await measureOne[part]();
    // Others can only make it slower: what holds beside them holds.
    const isMissed = one.bars.some(({ measured: is, atMost }) => is > atMost);
    const noise = one.noise ?? (isMissed ? neighbours() : undefined);
    one.print();
    found.push({ ...one, noise: noise === undefined ? undefined : `${part}: ${noise}` });
  }
  return found;
}

/** Answers the exit code. */
async function run(folder: string, parts: readonly Part[]): Promise<number> {
  const places = openPlaces(PROJECT, folder);
  const found = await measure(places, folder, parts);
  await places.end();
  const bars = found.flatMap((one) => one.bars);
  printBars(bars);
  return verdict('upgrades', bars, found.find(({ noise }) => noise !== undefined)?.noise);
}

const parts = wantedParts();
await benchmark('upgrades', () => run(openFolder(PROJECT), parts));

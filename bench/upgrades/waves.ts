// The part `waves`: how long an upgrade takes, compared with its critical path, which is computed from the plan and from
// the rollout times of the simulated deployment.
import { MESSAGES } from '../../src/upgrades/journal/messages.ts';
import type { PlanAnswer } from '../../src/wire/answers/upgradeAnswers.ts';
import type { PartResult } from '../harness/benchmark.ts';
import type { Installations, StoreName } from '../harness/processes/installations.ts';
import { STORES } from '../harness/processes/installations.ts';
import { benchObjects, objectsPathMs } from './benchObjects.ts';
import { cpuMicroseconds } from '../harness/measure/processUsage.ts';
import { progress, row, say } from '../harness/measure/report.ts';
import { best, sum } from '../harness/measure/statistics.ts';
import type { Steward } from '../harness/processes/steward.ts';
import type { Pace, Status } from './upgradeClient.ts';
import { expectedRollouts, fillDeployment, makePlan, startUpgrade, waitForSuccess } from './upgradeClient.ts';

const RATIO_AT_MOST = 1.1;
/** Each rollout takes 60 % to 140 % of `rolloutMs`. */
const PACE: Pace = { rolloutMs: 2000, hookMs: 2000, databaseMs: 2000 };
const SIZES = [
  { workloads: 48, objects: 0, parallel: 8, rounds: 2 },
  { workloads: 48, objects: 200, parallel: 8, rounds: 2 },
  { workloads: 1000, objects: 0, parallel: 64, rounds: 1 },
] as const;
type Size = (typeof SIZES)[number];

function nameOf({ workloads, objects }: Size): string {
  return objects === 0 ? String(workloads) : `${workloads} and ${objects} objects`;
}

interface CriticalPath {
  /** Wave after wave; within a wave a rollout starts as soon as one of the parallel slots is free. */
  readonly waves: number;
  /** The same if the longest rollouts of each wave came first. */
  readonly longestFirst: number;
  /** With all other steps. */
  readonly whole: number;
}

interface Run extends CriticalPath {
  readonly tookWhole: number;
  readonly tookWaves: number;
  readonly messages: number;
  readonly cpuS: number;
}

/** List scheduling: the slot that is free first takes the next rollout. */
function scheduledMs(rollouts: readonly number[], parallel: number): number {
  const slots = Array.from({ length: parallel }, () => 0);
  for (const ms of rollouts) {
    const first = slots.indexOf(Math.min(...slots));
    slots[first] = (slots[first] ?? 0) + ms;
  }
  return Math.max(...slots);
}

function criticalPath({ steps }: PlanAnswer, expected: ReadonlyMap<string, number>, size: Size): CriticalPath {
  const rollouts = steps
    .flatMap((step) => step.waves ?? [])
    .map((wave) => wave.map(({ workload }) => expected.get(workload) ?? Number.NaN));
  const planned = rollouts.flat().length;
  if (planned !== size.workloads) throw new Error(`the plan updates ${planned} workloads`);
  const sorted = rollouts.map((wave) => wave.toSorted((a, b) => b - a));
  const wavesMs = sum(rollouts.map((wave) => scheduledMs(wave, size.parallel)));
  const others = steps
    .filter(({ waves, objects }) => waves === undefined && objects === undefined)
    .map(({ estimateMs }) => estimateMs);
  return {
    waves: wavesMs,
    longestFirst: sum(sorted.map((wave) => scheduledMs(wave, size.parallel))),
    // The prerequisite check is a hook that runs before the plan is made.
    whole: wavesMs + PACE.hookMs + sum(others) + objectsPathMs(benchObjects(size.objects), PACE),
  };
}

function wavesSpan(messages: Status['status']['messages']): number {
  const began = messages.find(({ code }) => code === MESSAGES.deploymentStarted.code)?.when ?? Number.NaN;
  return (messages.findLast(({ code }) => code === MESSAGES.deploymentCompleted.code)?.when ?? Number.NaN) - began;
}

async function upgrade(steward: Steward, size: Size): Promise<Run> {
  await fillDeployment(steward, size.workloads, PACE, benchObjects(size.objects));
  const path = criticalPath(await makePlan(steward), await expectedRollouts(steward), size);
  const before = cpuMicroseconds(steward.pid);
  const { job, status } = await waitForSuccess(steward, await startUpgrade(steward));
  return {
    ...path,
    tookWhole: (job.endedAt ?? Number.NaN) - job.startedAt,
    tookWaves: wavesSpan(status.messages),
    messages: status.messages.length,
    cpuS: (cpuMicroseconds(steward.pid) - before) / 1e6,
  };
}

async function measureSize(installations: Installations, store: StoreName, size: Size): Promise<readonly Run[]> {
  const { parallel, rounds } = size;
  const runs: Run[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    progress(`${nameOf(size)} on ${store}, ${parallel} at once, ${round} of ${rounds} …`);
    const installation = await installations.create(
      store,
      `waves_${size.workloads}_${size.objects}_${round}_${store.toLowerCase()}`,
    );
    const steward = await installations.start(installation, {
      STEWARD_DEPLOYMENT: 'simulated',
      STEWARD_UPGRADE_PARALLEL: String(parallel),
    });
    runs.push(await upgrade(steward, size));
    await steward.end();
  }
  return runs;
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

interface Measured {
  readonly name: string;
  readonly size: Size;
  readonly runs: readonly Run[];
}

function print(measured: readonly Measured[]): void {
  say(`\nA release on a simulated deployment: a rollout takes ${seconds(PACE.rolloutMs)} ± 40 %\n`);
  say(row('workloads', 'at once', 'waves', 'path', 'best order', 'whole job', 'path', 'messages', 'CPU'));
  for (const { name, size, runs } of measured)
    for (const { tookWaves, waves, longestFirst, tookWhole, whole, messages, cpuS } of runs) {
      const times = [tookWaves, waves, longestFirst, tookWhole, whole].map(seconds);
      say(row(name, String(size.parallel), ...times, String(messages), `${cpuS.toFixed(1)} s`));
    }
}

const ratioBar = (name: string, ratios: readonly number[]) => ({
  name,
  measured: best(ratios),
  atMost: RATIO_AT_MOST,
  unit: 'x',
});

function barsOf({ name, runs }: Measured) {
  const ofWaves = runs.map(({ tookWaves, waves }) => tookWaves / waves);
  const ofWhole = runs.map(({ tookWhole, whole }) => tookWhole / whole);
  return [ratioBar(`waves of ${name}`, ofWaves), ratioBar(`whole job of ${name}`, ofWhole)];
}

export async function measureWaves(installations: Installations): Promise<PartResult> {
  const measured: Measured[] = [];
  for (const store of STORES)
    for (const size of SIZES) {
      const runs = await measureSize(installations, store, size);
      measured.push({ name: `${nameOf(size)}, ${store}`, size, runs });
    }
  return { bars: measured.flatMap(barsOf), print: () => print(measured) };
}

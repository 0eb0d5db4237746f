import type { Found, Places, StoreName } from './places.ts';
import { STORES } from './places.ts';
import { best, progress, row, say } from './report.ts';
import { cpuMicroseconds } from './running.ts';
import type { Client } from './steward.ts';
import type { Message, Pace, Plan, Status } from './upgradeWorld.ts';
import { expectedMs, fillDeployment, makePlan, startUpgrade, succeeded } from './upgradeWorld.ts';

const AT_MOST = 1.1;
/** Each rollout takes from 60 % to 140 % of it. */
const PACE: Pace = { rolloutMs: 2000, hookMs: 2000, databaseMs: 2000 };
const SIZES = [
  { workloads: 48, parallel: 8, rounds: 2 },
  { workloads: 1000, parallel: 64, rounds: 1 },
] as const;
type Size = (typeof SIZES)[number];

/** Of the update of a workload: it begins, and it has ended. */
const [BEGINS, ENDED] = [2101, 2103];

interface Paths {
  /** Wave after wave, as many at once as may be, each begun as soon as one before it has ended. */
  readonly waves: number;
  /** The same if those that take long came first in their wave. */
  readonly longestFirst: number;
  /** With all other steps. */
  readonly whole: number;
}

interface Run extends Paths {
  readonly tookWhole: number;
  readonly tookWaves: number;
  readonly messages: number;
  readonly cpuS: number;
}

/** List scheduling: whoever is free first takes the next. */
function scheduledMs(rollouts: readonly number[], parallel: number): number {
  const free = Array.from({ length: parallel }, () => 0);
  for (const ms of rollouts) {
    const first = free.indexOf(Math.min(...free));
    free[first] = (free[first] ?? 0) + ms;
  }
  return Math.max(...free);
}

const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0);

function pathsOf({ steps }: Plan, expected: ReadonlyMap<string, number>, { parallel, workloads }: Size): Paths {
  const waves = steps.flatMap((step) => step.waves ?? []);
  const rollouts = waves.map((wave) => wave.map(({ workload }) => expected.get(workload) ?? Number.NaN));
  if (rollouts.flat().length !== workloads) throw new Error(`the plan updates ${rollouts.flat().length} workloads`);
  const scheduled = sum(rollouts.map((wave) => scheduledMs(wave, parallel)));
  // The prerequisite check is a hook that is run before there is a plan.
  const others = PACE.hookMs + sum(steps.filter((step) => step.waves === undefined).map((step) => step.estimateMs));
  return {
    waves: scheduled,
    longestFirst: sum(
      rollouts.map((wave) =>
        scheduledMs(
          wave.toSorted((a, b) => b - a),
          parallel,
        ),
      ),
    ),
    whole: scheduled + others,
  };
}

function span(messages: readonly Message[]): number {
  const began = messages.find(({ code }) => code === BEGINS)?.when ?? Number.NaN;
  return (messages.findLast(({ code }) => code === ENDED)?.when ?? Number.NaN) - began;
}

async function run(project: string, steward: Client, size: Size): Promise<Run> {
  await fillDeployment(project, steward, size.workloads, PACE);
  const paths = pathsOf(await makePlan(steward), await expectedMs(steward), size);
  const before = cpuMicroseconds(steward.pid);
  const { id } = await startUpgrade(steward);
  const { job, status }: Status = await succeeded(steward, id);
  return {
    ...paths,
    tookWhole: (job.endedAt ?? Number.NaN) - job.startedAt,
    tookWaves: span(status.messages),
    messages: status.messages.length,
    cpuS: (cpuMicroseconds(steward.pid) - before) / 1e6,
  };
}

async function runs(places: Places, project: string, store: StoreName, size: Size): Promise<readonly Run[]> {
  const { workloads, parallel, rounds } = size;
  const found: Run[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    progress(`${workloads} workloads on ${store}, ${parallel} at once, ${round} of ${rounds} …`);
    const place = await places.place(store, `waves_${workloads}_${round}_${store.toLowerCase()}`);
    const steward = await places.start(place, {
      STEWARD_DEPLOYMENT: 'simulated',
      STEWARD_UPGRADE_PARALLEL: String(parallel),
    });
    found.push(await run(project, steward, size));
    await steward.end();
  }
  return found;
}

const s = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

export async function measureWaves(places: Places, project: string): Promise<Found> {
  const found: { readonly name: string; readonly size: Size; readonly all: readonly Run[] }[] = [];
  for (const store of STORES)
    for (const size of SIZES)
      found.push({ name: `${size.workloads}, ${store}`, size, all: await runs(places, project, store, size) });
  return {
    bars: found.flatMap(({ name, all }) => [
      {
        name: `waves of ${name}`,
        measured: best(all.map(({ tookWaves, waves }) => tookWaves / waves)),
        atMost: AT_MOST,
        unit: 'x',
      },
      {
        name: `whole job of ${name}`,
        measured: best(all.map(({ tookWhole, whole }) => tookWhole / whole)),
        atMost: AT_MOST,
        unit: 'x',
      },
    ]),
    print() {
      say(`\nA release on a simulated deployment: a rollout takes ${s(PACE.rolloutMs)} ± 40 %\n`);
      say(row('workloads', 'at once', 'waves', 'path', 'best order', 'whole job', 'path', 'messages', 'CPU'));
      for (const { name, size, all } of found)
        for (const { tookWaves, waves, longestFirst, tookWhole, whole, messages, cpuS } of all)
          say(
            row(
              name,
              String(size.parallel),
              ...[tookWaves, waves, longestFirst, tookWhole, whole].map(s),
              String(messages),
              `${cpuS.toFixed(1)} s`,
            ),
          );
    },
  };
}

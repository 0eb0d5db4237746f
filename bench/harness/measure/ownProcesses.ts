// The CPU time of everything that a benchmark has started. The kernel adds the time of a process that ended to a parent that waits
// for it. Chromium is killed with all its processes at once, and their time would be lost; so it is noted while they run.
import { processFields, processIds } from './processUsage.ts';
import { sum } from './statistics.ts';

const LOOK_EVERY_MS = 500;
const [PARENT, STARTED] = [1, 19];
/** User and system time, of the process and of its children that have ended. */
const [TIMES_FROM, TIMES_TO] = [11, 15];

interface SeenProcess {
  readonly parent: number;
  /** Tells it from a later process with the same id. */
  readonly started: number;
  readonly ticks: number;
}

type Processes = ReadonlyMap<number, SeenProcess>;

interface OwnProcesses {
  readonly running: Processes;
  /** Of processes that ended without a parent of ours to take over their time. */
  readonly lostTicks: number;
}

function allProcesses(): Processes {
  const found = processIds().flatMap((pid): [number, SeenProcess][] => {
    const fields = processFields(pid);
    if (fields === undefined) return [];
    const { [PARENT]: parent = 0, [STARTED]: started = 0 } = fields;
    return [[pid, { parent, started, ticks: sum(fields.slice(TIMES_FROM, TIMES_TO)) }]];
  });
  return new Map(found);
}

/** A process stays ours after its parent has ended and another one has adopted it. */
function look({ running, lostTicks }: OwnProcesses): OwnProcesses {
  const all = allProcesses();
  const isKnown = (pid: number): boolean => running.has(pid) && running.get(pid)?.started === all.get(pid)?.started;
  const isOwn = (pid: number): boolean =>
    pid === process.pid || isKnown(pid) || (pid > 1 && isOwn(all.get(pid)?.parent ?? 0));
  const own = new Map([...all].filter(([pid]) => isOwn(pid)));
  const orphans = [...running].filter(([pid, { parent }]) => !isKnown(pid) && !own.has(parent));
  return { running: own, lostTicks: lostTicks + sum(orphans.map(([, { ticks }]) => ticks)) };
}

function ticksOf({ running, lostTicks }: OwnProcesses): number {
  return lostTicks + sum([...running.values()].map(({ ticks }) => ticks));
}

/** Starts to watch this process and all that it starts. The result returns the CPU time since then, in ticks, and stops. */
export function watchOwnProcesses(): () => number {
  let seen = look({ running: new Map(), lostTicks: 0 });
  const before = ticksOf(seen);
  const timer = setInterval(() => (seen = look(seen)), LOOK_EVERY_MS);
  timer.unref();
  return () => {
    clearInterval(timer);
    return ticksOf(look(seen)) - before;
  };
}

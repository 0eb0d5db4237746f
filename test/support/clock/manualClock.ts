// The clock of all tests. Time passes only when a test says so, and only while no store call is in progress, so a slow machine
// sees the same order of events as a fast one.
import type { Clock } from '../../../src/foundation/clock.ts';
import { DAY } from '../../../src/foundation/clock.ts';
import type { Store } from '../../../src/store/store.ts';
import { intercept } from './intercept.ts';

export interface ManualClock extends Clock {
  /** Moves time on and wakes those whose sleep is over. */
  advance(ms: number): void;
  /** How many sleep. */
  sleepers(): number;
  /** When the first sleeper wakes; undefined if none sleeps. */
  next(): number | undefined;
  /** The same object; a call of one of its functions is work in progress until it is answered. */
  tracked<T extends object>(port: T): T;
  /** The same store, with all its ports tracked. */
  trackedStore(store: Store): Store;
  /** The same clock for one background loop, which is work in progress between two of its sleeps. */
  forLoop(): Clock;
  /** Resolves when no work is in progress, so that all wait for this clock. */
  idle(): Promise<void>;
  /** Lets time pass until the promise settles: whenever the work is idle, it moves on to the next sleeper's end. */
  until<T>(what: string, promise: Promise<T>): Promise<T>;
  /** The same, until a condition holds. `step` says how far time moves on at once, if not to the next sleeper's end. */
  untilTrue(what: string, isTrue: () => boolean | Promise<boolean>, step?: () => number): Promise<void>;
  /** Lets this much time pass, with all the work that falls into it. */
  pass(ms: number): Promise<void>;
}

/** Between two answers of a store, code runs for at most this many turns of the event loop. */
const QUIET_TURNS = 3;
/** More virtual time than any test needs. */
const GIVE_UP_AFTER_MS = 400 * DAY;
/** If no one sleeps for this many turns, no one will. */
const MOST_STUCK_TURNS = 10_000;

interface Sleeper {
  readonly until: number;
  wake(): void;
}

interface Work {
  begin(): void;
  end(): void;
  idle(): Promise<void>;
}

function createWork(): Work {
  let inProgress = 0;
  return {
    begin: () => {
      inProgress += 1;
    },
    end: () => {
      inProgress -= 1;
    },
    async idle() {
      for (let quiet = 0; quiet < QUIET_TURNS; quiet = inProgress === 0 ? quiet + 1 : 0)
        await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

type Sleep = Clock['sleep'];

function createSleep(now: () => number, sleepers: Set<Sleeper>): Sleep {
  return (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const sleeper: Sleeper = {
        until: now() + ms,
        wake: () => {
          sleepers.delete(sleeper);
          signal?.removeEventListener('abort', sleeper.wake);
          resolve();
        },
      };
      sleepers.add(sleeper);
      signal?.addEventListener('abort', sleeper.wake, { once: true });
    });
}

/** A loop begins with work that is not counted, and ends with its signal. */
function createLoopSleep(sleep: Sleep, work: Work): Sleep {
  let hasSlept = false;
  return async (ms, signal) => {
    if (hasSlept) work.end();
    hasSlept = true;
    await sleep(ms, signal);
    work.begin();
    if (signal?.aborted === true) {
      hasSlept = false;
      work.end();
    }
  };
}

function trackedBy(work: Work): ManualClock['tracked'] {
  return (port) =>
    intercept(port, (_name, call) => {
      const answer = call();
      if (!(answer instanceof Promise)) return answer;
      work.begin();
      return answer.finally(work.end);
    });
}

export function manualClock(start = Date.UTC(2026, 0, 1)): ManualClock {
  let time = start;
  const sleepers = new Set<Sleeper>();
  const work = createWork();
  const now = (): number => time;
  const sleep = createSleep(now, sleepers);
  const tracked = trackedBy(work);
  const next = (): number | undefined =>
    sleepers.size === 0 ? undefined : Math.min(...[...sleepers].map((sleeper) => sleeper.until));
  const toNext = (): number | undefined => {
    const wakes = next();
    return wakes === undefined ? undefined : Math.max(0, wakes - time);
  };

  function advance(ms: number): void {
    time += ms;
    for (const sleeper of sleepers) if (sleeper.until <= time) sleeper.wake();
  }

  async function untilTrue(what: string, isTrue: () => boolean | Promise<boolean>, step = toNext): Promise<void> {
    const giveUpAt = time + GIVE_UP_AFTER_MS;
    let stuck = 0;
    for (;;) {
      await work.idle();
      if (await isTrue()) return;
      const ms = step();
      stuck = ms === undefined ? stuck + 1 : 0;
      if (stuck > MOST_STUCK_TURNS) throw new Error(`Nothing is going on any more, but this has not happened: ${what}`);
      if (time > giveUpAt) throw new Error(`More than a year has passed, but this has not happened: ${what}`);
      advance(ms ?? 0);
    }
  }

  async function until<T>(what: string, promise: Promise<T>): Promise<T> {
    let isSettled = false;
    const settled = promise.finally(() => {
      isSettled = true;
    });
    // Its error is for the caller, at the end.
    settled.catch(() => undefined);
    await untilTrue(what, () => isSettled);
    return settled;
  }

  return {
    now,
    sleep,
    advance,
    sleepers: () => sleepers.size,
    next,
    tracked,
    trackedStore(store) {
      const { access, catalog, mode, webhooks, jobs, uploads, upgrades, documents, revisions } = store;
      const ports = { access, catalog, mode, webhooks, jobs, uploads, upgrades, documents, revisions };
      const all = Object.entries(ports).map(([name, port]) => [name, tracked(port)]);
      return { ...store, ...Object.fromEntries(all) };
    },
    forLoop: () => ({ now, sleep: createLoopSleep(sleep, work) }),
    idle: work.idle,
    until,
    untilTrue,
    pass: (ms) => until('time passes', sleep(ms)),
  };
}

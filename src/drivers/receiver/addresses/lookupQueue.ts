import { createBoundedCache } from '../../../foundation/cache/boundedCache.ts';
import { SECOND } from '../../../foundation/clock.ts';

/** Returns all addresses of a name; rejects when it has none. */
export type Lookup = (name: string) => Promise<readonly string[]>;

export const SLOW_MS = SECOND;
/** The number of threads that libuv gives to look-ups by default: half of its pool. A running look-up cannot be cancelled. */
const THREADS = 2;
const MAX_NAMES = 10_000;

/** How long the last look-up of a name took. A new name has no speed, and neither has one that failed quickly. */
type Speed = 'quick' | 'slow';

interface WaitingLookup {
  readonly name: string;
  start(result: Promise<readonly string[]>): void;
}

export interface LookupQueueOptions {
  /** Looks a name up without a thread, while it waits for one. It may know less, so that only its addresses count. */
  readonly direct?: Lookup | undefined;
  /** Called when a look-up has taken a second. */
  readonly onSlow?: ((name: string) => void) | undefined;
}

/**
 * Queues look-ups so that slow ones delay the others as little as two threads allow. Quick names have a thread for themselves.
 * All other names share the second one, slow names last: any number of dead names occupies only one thread.
 *
 * A quick name that becomes slow gives up its place after a second but occupies its thread until the system gives up, by default
 * after 10 s. From then on it is slow, so each name does this once. A new name waits for the running look-up, for the new names
 * before it and for such formerly quick names, at most 10 s each, but not for the slow names in the queue.
 */
export function createLookupQueue(lookup: Lookup, { direct, onSlow }: LookupQueueOptions = {}) {
  const speeds = createBoundedCache<string, Speed>(MAX_NAMES);
  const pending = new Map<string, Promise<readonly string[]>>();
  const waiting: Readonly<Record<Speed | 'unknown', WaitingLookup[]>> = { quick: [], unknown: [], slow: [] };
  const running = { quick: 0, other: 0 };
  const startedAt = new Map<string, number>();

  function run({ name, start }: WaitingLookup, firstPlace: keyof typeof running): void {
    let place = firstPlace;
    let isSlow = false;
    running[place] += 1;
    startedAt.set(name, performance.now());
    const timer = setTimeout(() => {
      isSlow = true;
      onSlow?.(name);
      running[place] -= 1;
      place = 'other';
      running[place] += 1;
      runNext();
    }, SLOW_MS).unref();

    function end(hasAnswer: boolean): void {
      clearTimeout(timer);
      running[place] -= 1;
      pending.delete(name);
      startedAt.delete(name);
      if (isSlow) speeds.set(name, 'slow');
      else if (hasAnswer) speeds.set(name, 'quick');
      else speeds.delete(name);
      runNext();
    }

    const result = lookup(name);
    // `end` runs before the callers get the result: a caller that asks again at once starts a new look-up.
    start(
      result
        .then(
          () => end(true),
          () => end(false),
        )
        .then(() => result),
    );
  }

  function runNext(): void {
    const quick = running.quick === 0 && running.other < THREADS ? waiting.quick.shift() : undefined;
    if (quick !== undefined) run(quick, 'quick');
    const other = running.other === 0 ? (waiting.unknown.shift() ?? waiting.slow.shift()) : undefined;
    if (other !== undefined) run(other, 'other');
  }

  async function askDirectly(name: string): Promise<void> {
    const addresses = await direct?.(name).catch(() => undefined);
    if (addresses === undefined) return;
    for (const queue of Object.values(waiting)) {
      const place = queue.findIndex((one) => one.name === name);
      const [found] = place === -1 ? [] : queue.splice(place, 1);
      if (found === undefined) continue;
      pending.delete(name);
      speeds.set(name, 'quick');
      found.start(Promise.resolve(addresses));
    }
  }

  return {
    /** Looks up a name. Callers that ask for the same name at the same time share one look-up. */
    lookUp(name: string): Promise<readonly string[]> {
      const known = pending.get(name);
      if (known !== undefined) return known;
      const result = new Promise<readonly string[]>((start) => {
        waiting[speeds.get(name) ?? 'unknown'].push({ name, start });
      });
      pending.set(name, result);
      runNext();
      if (!startedAt.has(name)) void askDirectly(name);
      return result;
    },
    isPending: (name: string) => pending.has(name),
    /** For how long the look-up of a name has been running; 0 if it still waits for a thread. */
    ranForMs: (name: string) => performance.now() - (startedAt.get(name) ?? performance.now()),
  };
}

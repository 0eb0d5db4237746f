import type { Clock } from '../../../src/foundation/clock.ts';
import { manualClock } from './manualClock.ts';

export interface VirtualClock extends Clock {
  /** The same object, every call of which counts as work under way. */
  counted<T extends object>(port: T): T;
  /** Lets time pass until the promise is settled: whenever everybody sleeps, it jumps to who wakes first. */
  until<T>(what: string, promise: Promise<T>): Promise<T>;
  /** Lets so much time pass. */
  pass(ms: number): Promise<void>;
}

const QUIET_TURNS = 2;
const LONGEST_MS = 24 * 3_600_000;

/** Hands on every call of an object's functions. */
export function through<T extends object>(
  port: T,
  hand: (name: string, call: () => unknown, args: readonly unknown[]) => unknown,
): T {
  return new Proxy(port, {
    get(target, name, receiver) {
      const found: unknown = Reflect.get(target, name, receiver);
      if (typeof found !== 'function') return found;
      return (...args: readonly unknown[]) => hand(String(name), () => Reflect.apply(found, target, args), args);
    },
  });
}

/** Time that takes no time: hours pass as soon as nobody has anything to do before. */
export function virtualClock(): VirtualClock {
  const { now, sleep, next, advance } = manualClock();
  let underWay = 0;

  function jump(): boolean {
    const until = next();
    if (until === undefined) return false;
    advance(Math.max(0, until - now()));
    return true;
  }

  async function quiet(): Promise<void> {
    for (let turns = 0; turns < QUIET_TURNS; turns = underWay === 0 ? turns + 1 : 0)
      await new Promise((resolve) => setImmediate(resolve));
  }

  const clock: VirtualClock = {
    now,
    sleep,
    counted: (port) =>
      through(port, (_, call) => {
        const answer = call();
        if (!(answer instanceof Promise)) return answer;
        underWay += 1;
        return answer.finally(() => {
          underWay -= 1;
        });
      }),
    async until(what, promise) {
      const giveUpAt = now() + LONGEST_MS;
      let isSettled = false;
      const settled = promise.finally(() => {
        isSettled = true;
      });
      // Whoever asked hears of it at the end.
      settled.catch(() => undefined);
      for (;;) {
        await quiet();
        if (isSettled) return settled;
        if (!jump()) throw new Error(`nothing goes on any more, but this has not come: ${what}`);
        if (now() > giveUpAt) throw new Error(`a day has passed, but this has not come: ${what}`);
      }
    },
    pass: (ms) => clock.until('time', clock.sleep(ms)),
  };
  return clock;
}

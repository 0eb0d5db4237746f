import { SECOND } from '../../../foundation/clock.ts';
import { createRecent } from '../recent.ts';

/** All addresses of a name; rejects when it has none. */
export type Lookup = (name: string) => Promise<readonly string[]>;

export const SLOW_MS = SECOND;
/** What libuv gives look-ups by default: half its pool. One that is begun cannot be called off. */
const THREADS = 2;
const MOST_NAMES = 10_000;

/** By the last look-up: answered within a second; took longer. A name without standing is new, or failed at once. */
type Standing = 'good' | 'slow';

interface Turn {
  readonly name: string;
  take(looking: Promise<readonly string[]>): void;
}

/**
 * Look-ups that hold up one another as little as two threads allow. Good names have a lane of their own. Of all others one
 * at a time is looked up, the slow ones last: however many are dead, they hold one thread, and good names the other.
 *
 * A good name that falls silent leaves its lane after a second but keeps its thread until the system gives up, 10 s by
 * default; then it is slow, so each can do this once. A new name waits for what is under way, for new ones that came
 * before, and for such good ones: 10 s at most for each, but never for the slow ones that wait.
 */
export function createLookupQueue(lookup: Lookup) {
  const standings = createRecent<Standing>(MOST_NAMES);
  const pending = new Map<string, Promise<readonly string[]>>();
  const waiting: Readonly<Record<Standing | 'untried', Turn[]>> = { good: [], untried: [], slow: [] };
  const running = { good: 0, doubtful: 0 };

  function run({ name, take }: Turn, begunIn: keyof typeof running): void {
    let lane = begunIn;
    let isSlow = false;
    running[lane] += 1;
    const timer = setTimeout(() => {
      isSlow = true;
      running[lane] -= 1;
      lane = 'doubtful';
      running[lane] += 1;
      advance();
    }, SLOW_MS).unref();

    function end(hasAnswer: boolean): void {
      clearTimeout(timer);
      running[lane] -= 1;
      pending.delete(name);
      if (isSlow) standings.keep(name, 'slow');
      else if (hasAnswer) standings.keep(name, 'good');
      else standings.drop(name);
      advance();
    }

    const looking = lookup(name);
    // Ended before anyone hears of it, so that who asks again at once is not given this answer.
    take(
      looking
        .then(
          () => end(true),
          () => end(false),
        )
        .then(() => looking),
    );
  }

  function advance(): void {
    const good = running.good === 0 && running.doubtful < THREADS ? waiting.good.shift() : undefined;
    if (good !== undefined) run(good, 'good');
    const other = running.doubtful === 0 ? (waiting.untried.shift() ?? waiting.slow.shift()) : undefined;
    if (other !== undefined) run(other, 'doubtful');
  }

  return {
    /** Callers for one name share its look-up. */
    ask(name: string): Promise<readonly string[]> {
      const known = pending.get(name);
      if (known !== undefined) return known;
      const asking = new Promise<readonly string[]>((resolve) => {
        waiting[standings.find(name) ?? 'untried'].push({ name, take: resolve });
      });
      pending.set(name, asking);
      advance();
      return asking;
    },
    isAsked: (name: string) => pending.has(name),
  };
}

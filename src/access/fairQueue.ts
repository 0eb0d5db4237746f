import { StewardError } from '../foundation/errors.ts';

interface Waiter {
  readonly start: () => void;
  readonly refuse: (error: StewardError) => void;
}

export interface FairQueueOptions {
  readonly maxRunning: number;
  readonly maxWaiting: number;
}

function queueIsFull(): StewardError {
  return new StewardError('unavailable', 'Too many sign-ins at the same time. Try again in a few seconds.', {
    retryAfterSeconds: 5,
  });
}

/**
 * Runs few works at once; the rest wait in a line per key, and the lines take turns. When all places are taken, the longest
 * line gives one up, so that a flood from one address does not keep the others out.
 */
export function createFairQueue({ maxRunning, maxWaiting }: FairQueueOptions) {
  /** In the order of their turns. No line is empty. */
  const lines = new Map<string, Waiter[]>();
  let [waiting, running] = [0, 0];

  /** Makes room by refusing the last of the longest line. Returns false if this line is as long as any other. */
  function makeRoom(key: string): boolean {
    const [longest, line] = [...lines].reduce((a, b) => (b[1].length > a[1].length ? b : a));
    if (longest === key || line.length <= (lines.get(key)?.length ?? 0) + 1) return false;
    line.pop()?.refuse(queueIsFull());
    waiting -= 1;
    return true;
  }

  function enter(key: string): Promise<void> {
    if (waiting >= maxWaiting && !makeRoom(key)) return Promise.reject(queueIsFull());
    waiting += 1;
    return new Promise((start, refuse) => {
      const line = lines.get(key);
      if (line === undefined) lines.set(key, [{ start, refuse }]);
      else line.push({ start, refuse });
    });
  }

  /** Starts the first of the line whose turn it is, and moves the line to the end. */
  function startNext(): void {
    const [turn] = lines;
    if (turn === undefined) {
      running -= 1;
      return;
    }
    const [key, line] = turn;
    const next = line.shift();
    lines.delete(key);
    if (line.length > 0) lines.set(key, line);
    waiting -= 1;
    next?.start();
  }

  return {
    /** Runs `work` when it is the turn of `key`. Fails with `unavailable` if there is no place to wait. */
    async run<T>(key: string, work: () => Promise<T>): Promise<T> {
      if (running >= maxRunning) await enter(key);
      else running += 1;
      try {
        return await work();
      } finally {
        startNext();
      }
    },
  };
}

export type FairQueue = ReturnType<typeof createFairQueue>;

export interface Flusher {
  /** Resolves when everything written before the call is on disk. Calls during a flush share the next one. */
  flush(): Promise<void>;
  isBroken(): boolean;
}

/**
 * After a failed flush it is unknown what is on disk, and the operating system reports the failure only once. So after the
 * first failure every flush fails, until the process is restarted and the store recovers.
 */
export function createFlusher(sync: () => Promise<void>): Flusher {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  let broken: unknown;

  async function run(): Promise<void> {
    if (broken !== undefined) throw broken;
    try {
      await sync();
    } catch (error) {
      broken = error;
      throw error;
    }
  }

  function start(): Promise<void> {
    const flush = run().finally(() => {
      if (running === flush) running = undefined;
    });
    running = flush;
    return flush;
  }

  return {
    flush() {
      if (running === undefined) return start();
      next ??= running
        .catch(() => undefined)
        .then(() => {
          next = undefined;
          return start();
        });
      return next;
    },
    isBroken: () => broken !== undefined,
  };
}

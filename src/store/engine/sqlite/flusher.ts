export interface Flusher {
  /** Resolves when everything written before the call is on disk. */
  flush(): Promise<void>;
  isBroken(): boolean;
}

/**
 * After a failed flush it is unknown what is on disk, and the operating system reports the failure only once. So after the
 * first failure every flush fails, until the process is restarted and the store recovers.
 */
export function createFlusher(sync: () => Promise<void>): Flusher {
  let last = Promise.resolve();
  let isBroken = false;
  return {
    flush() {
      // One after the other: a rejected promise also rejects all that follow it.
      last = last.then(sync);
      last.catch(() => {
        isBroken = true;
      });
      return last;
    },
    isBroken: () => isBroken,
  };
}

import { open } from 'node:fs/promises';

export interface Flusher {
  /** Resolves when everything written to the file before the call is on disk. */
  flush(): Promise<void>;
  /** After a failed flush nobody knows what is on disk, so nothing may be called durable any more. */
  isBroken(): boolean;
  close(): Promise<void>;
}

/** All that call while a flush is under way share the next one. */
export function createFlusher(file: string): Flusher {
  const handle = open(file, 'r+');
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  let broken = false;

  async function run(): Promise<void> {
    try {
      await (await handle).datasync();
    } catch (error) {
      broken = true;
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
    isBroken: () => broken,
    async close() {
      await (next ?? running)?.catch(() => undefined);
      await (await handle).close();
    },
  };
}

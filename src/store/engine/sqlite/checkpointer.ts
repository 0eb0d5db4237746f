import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';

/**
 * Moves what the write-ahead log holds into the database, and flushes it, in a thread of its own: on the main thread every
 * answer would wait for that disk. The thread's program is a text, because tests run from TypeScript, which it could not load.
 */
const PROGRAM = `
const { parentPort, workerData } = require('node:worker_threads');
const { DatabaseSync } = require(workerData.sqlite);
const database = new DatabaseSync(workerData.file);
database.exec('pragma journal_mode = wal; pragma synchronous = normal; pragma busy_timeout = 5000; pragma wal_autocheckpoint = 0');
const checkpoint = database.prepare('pragma wal_checkpoint(passive)');
parentPort.on('message', (message) => {
  if (message === 'close') {
    database.close();
    parentPort.close();
    return;
  }
  try {
    const { log, checkpointed } = checkpoint.get();
    parentPort.postMessage({ log, checkpointed });
  } catch (error) {
    parentPort.postMessage({ problem: String(error) });
  }
});
`;

interface Reached {
  readonly log: number;
  readonly checkpointed: number;
}

export interface Checkpointer {
  /** Called between transactions. Answers at once while the log is short; now and then it lets the writer wait for a moment. */
  rest(): Promise<void>;
  close(): Promise<void>;
}

/** In pages of the log, about 8 MiB. */
const LONG = 2000;
const WRITES_BETWEEN_LOOKS = 50;

export function createCheckpointer(file: string): Checkpointer {
  const sqlite = createRequire(import.meta.url).resolve('@photostructure/sqlite');
  const worker = new Worker(PROGRAM, { eval: true, workerData: { file, sqlite } });
  worker.unref();
  const waiting: ((reached: Reached | undefined) => void)[] = [];
  worker.on('message', (answer: Reached | { readonly problem: string }) =>
    waiting.shift()?.('problem' in answer ? undefined : answer),
  );
  let isGone = false;
  // Without the thread the log only grows; the next start moves it.
  worker.on('error', () => undefined);
  const gone = new Promise<void>((resolve) => {
    worker.once('exit', () => {
      isGone = true;
      for (const one of waiting.splice(0)) one(undefined);
      resolve();
    });
  });

  const ask = (): Promise<Reached | undefined> =>
    new Promise((resolve) => {
      if (isGone) return resolve(undefined);
      waiting.push(resolve);
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
      worker.postMessage('checkpoint');
    });

  let writes = 0;
  let underWay: Promise<void> | undefined;
  /** The writer goes on meanwhile; what it adds is moved while it waits, and then the log begins anew. */
  let isTail = false;

  async function run(): Promise<void> {
    const reached = await ask();
    isTail = reached !== undefined && reached.log > LONG;
    underWay = undefined;
  }

  return {
    async rest() {
      if (isTail) {
        isTail = false;
        await ask();
        return;
      }
      writes += 1;
      if (writes < WRITES_BETWEEN_LOOKS || underWay !== undefined) return;
      writes = 0;
      underWay = run();
    },
    async close() {
      // Nothing else may keep the process alive until this is done.
      worker.ref();
      await underWay;
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
      worker.postMessage('close');
      await gone;
    },
  };
}

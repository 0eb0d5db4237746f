// Checkpoints of the embedded engine: moves the content of the write-ahead log into the database file, in a worker thread.
import { statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';

/**
 * The program of the thread. A checkpoint flushes the disk, which on the main thread would delay every request. The program
 * is a string because tests run from TypeScript, which a worker thread cannot load.
 */
const PROGRAM = `
const { statSync } = require('node:fs');
const { parentPort, workerData } = require('node:worker_threads');
const { DatabaseSync } = require(workerData.sqlite);
if (statSync(workerData.file).ino !== workerData.inode) throw new Error('the store was replaced');
const database = new DatabaseSync(workerData.file);
database.exec('pragma busy_timeout = 5000; pragma journal_mode = wal; pragma synchronous = normal; pragma wal_autocheckpoint = 0');
const checkpoint = database.prepare('pragma wal_checkpoint(passive)');
parentPort.on('message', (message) => {
  if (message === 'close') {
    database.close();
    parentPort.close();
    return;
  }
  try {
    parentPort.postMessage(checkpoint.get().log);
  } catch {
    parentPort.postMessage(0);
  }
});
`;

export interface Checkpointer {
  /** Called between transactions. Resolves immediately, except that after a long checkpoint the writer waits for a short one. */
  checkpoint(): Promise<void>;
  close(): Promise<void>;
}

/** About 8 MiB. */
const LONG_LOG_PAGES = 2000;
const WRITES_PER_CHECKPOINT = 50;

interface CheckpointThread {
  readonly isGone: () => boolean;
  /** Returns the length of the log; 0 if the checkpoint failed. Must not be called before the last checkpoint has ended. */
  run(): Promise<number>;
  close(): Promise<void>;
}

/** To open a file that was removed would create it, and SQLite would remove the log beside it. So the thread checks the inode. */
function startThread(file: string, inode: number): CheckpointThread {
  const sqlite = createRequire(import.meta.url).resolve('@photostructure/sqlite');
  const worker = new Worker(PROGRAM, { eval: true, workerData: { file, inode, sqlite } });
  /** Ends the checkpoint that is under way; there is at most one. */
  let end: ((logPages: number) => void) | undefined;
  worker.on('message', (logPages: number) => end?.(logPages));
  let isGone = false;
  worker.on('error', () => undefined);
  const gone = new Promise<void>((resolve) => {
    worker.once('exit', () => {
      isGone = true;
      end?.(0);
      resolve();
    });
  });
  return {
    isGone: () => isGone,
    run: () =>
      new Promise((resolve) => {
        end = resolve;
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
        worker.postMessage('checkpoint');
      }),
    close() {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
      worker.postMessage('close');
      return gone;
    },
  };
}

/** Makes the checkpoints of the store in `file`. The thread starts with the first of them, because it takes 8 to 15 MB. */
export function createCheckpointer(file: string): Checkpointer {
  const inode = statSync(file).ino;
  let thread: CheckpointThread | undefined;

  /** A thread that has ended is replaced: it may have lacked a file descriptor. Without one the log only grows. */
  async function runInThread(): Promise<number> {
    try {
      if (thread === undefined || thread.isGone()) thread = startThread(file, inode);
      return await thread.run();
    } catch {
      return 0;
    }
  }

  let writes = 0;
  let underWay: Promise<void> | undefined;
  /**
   * During a checkpoint the writer adds to the log. After the checkpoint of a long log a second one runs while the writer
   * waits: then the database has all of the log, and SQLite reuses the log's file from its beginning.
   */
  let isWriterToWait = false;

  async function run(): Promise<void> {
    isWriterToWait = (await runInThread()) > LONG_LOG_PAGES;
    underWay = undefined;
  }

  return {
    async checkpoint() {
      if (isWriterToWait) {
        isWriterToWait = false;
        await runInThread();
        return;
      }
      writes += 1;
      if (writes < WRITES_PER_CHECKPOINT || underWay !== undefined) return;
      writes = 0;
      underWay = run();
    },
    async close() {
      await underWay;
      if (thread?.isGone() === false) await thread.close();
    },
  };
}

// Writes log lines to a file descriptor in blocks. The reader of the log cannot block the service: lines are dropped when
// the reader is gone or does not read, and a flush gives up after a second.
import { write, writeSync } from 'node:fs';

const RETRY_MS = 100;
const FLUSH_WITHIN_MS = 1000;
const PAUSE_MS = 10;
const NO_BYTES: Buffer = Buffer.alloc(0);

export interface LogSink {
  write(line: string): void;
  /** Writes what is left before the process ends. Blocks for a second at the most. */
  flush(): void;
}

export interface LogSinkOptions {
  readonly fd: number;
  /** A block is written when it has this many characters, or after `everyMs`. */
  readonly blockLength: number;
  readonly everyMs: number;
  /** How many characters may wait for a reader that does not read. */
  readonly maxWaiting: number;
}

/** Whether the reader may take more later: a pipe that is full. Any other error is final. */
function isFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EAGAIN' || error.code === 'EBUSY');
}

function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** Writes as many of the bytes as the reader takes in this time. */
function writeWithin(fd: number, bytes: Buffer, ms: number): void {
  const end = performance.now() + ms;
  let rest = bytes;
  while (rest.length > 0 && performance.now() < end) {
    try {
      rest = rest.subarray(writeSync(fd, rest));
    } catch (error) {
      if (!isFull(error)) return;
      pause(PAUSE_MS);
    }
  }
}

export function createLogSink({ fd, blockLength, everyMs, maxWaiting }: LogSinkOptions): LogSink {
  let [waiting, isBroken, isWriting] = ['', false, false];
  let unsent = NO_BYTES;
  let timer: NodeJS.Timeout | undefined;

  function send(bytes: Buffer): void {
    [isWriting, unsent] = [true, NO_BYTES];
    write(fd, bytes, (error, written) => {
      isWriting = false;
      if (error !== null && !isFull(error)) [isBroken, waiting] = [true, ''];
      else unsent = bytes.subarray(error === null ? written : 0);
      if (waiting !== '' || unsent.length > 0) sendLater(error === null ? everyMs : RETRY_MS);
    });
  }

  function sendLater(ms: number): void {
    timer ??= setTimeout(sendBlock, ms).unref();
  }

  function sendBlock(): void {
    clearTimeout(timer);
    timer = undefined;
    if (isWriting) return;
    const bytes = Buffer.concat([unsent, Buffer.from(waiting)]);
    waiting = '';
    if (bytes.length > 0) send(bytes);
  }

  return {
    write(line) {
      if (isBroken || waiting.length + unsent.length + line.length > maxWaiting) return;
      waiting += line;
      if (waiting.length >= blockLength && unsent.length === 0) sendBlock();
      else sendLater(everyMs);
    },
    flush() {
      if (!isBroken) writeWithin(fd, Buffer.concat([unsent, Buffer.from(waiting)]), FLUSH_WITHIN_MS);
      [waiting, unsent] = ['', NO_BYTES];
    },
  };
}

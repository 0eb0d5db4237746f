// Writes log lines to a file descriptor in blocks. The reader of the log cannot block the service: lines are dropped when the
// reader is gone or does not read, and a flush gives up after a second. No error is final: a full disk gets room, a pipe gets
// another reader. Dropped lines are counted, and a line at their place says how many they were.
import { closeSync, write, writeSync } from 'node:fs';

const RETRY_MS = 100;
/** A disk does not get room within milliseconds. */
const RETRY_FAILED_MS = 1000;
const FLUSH_WITHIN_MS = 1000;
const PAUSE_MS = 10;
const NO_BYTES: Buffer = Buffer.alloc(0);
const LINE_FEED = Buffer.from('\n');

export interface LogSink {
  write(line: string): void;
  /** Writes what is left before the process ends. Blocks for a second at the most. */
  flush(): void;
  /** Continues in another file. The sink owns the descriptor from now on. */
  continueIn(fd: number): void;
  /** How many lines were dropped since the start. */
  dropped(): number;
}

type WriteBytes = (
  fd: number,
  bytes: Buffer,
  done: (error: NodeJS.ErrnoException | null, written: number) => void,
) => void;

export interface LogSinkOptions {
  readonly fd: number;
  /** A block is written when it has this many characters, or after `everyMs`. */
  readonly blockLength: number;
  readonly everyMs: number;
  /** How many characters may wait for a reader that does not read, or for a disk that is full. */
  readonly maxWaiting: number;
  /** How long to wait after an error before the next try. */
  readonly retryFailedMs?: number;
  /** How to write; `write` of the file system unless given. */
  readonly writeBytes?: WriteBytes;
  /** Makes the line that says how many lines were dropped, and why. */
  readonly gapLine: (lines: number, reason: string) => string;
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/** Whether the reader may take more soon: a pipe that is full. */
function isFull(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'EAGAIN' || code === 'EBUSY';
}

/** Whether the reader is gone. Another one, if it ever comes, does not miss the lines from before. */
function hasNoReader(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'EPIPE' || code === 'EBADF';
}

const SLOW_READER = 'the reader of the log was too slow';
const REASONS: Readonly<Record<string, string>> = {
  EAGAIN: SLOW_READER,
  EBUSY: SLOW_READER,
  EPIPE: 'the log had no reader',
  EBADF: 'the log had no reader',
  ENOSPC: 'the disk of the log was full',
  EDQUOT: 'the disk of the log was full',
  EFBIG: 'the file of the log was too large',
};

function gapReason(error: unknown): string {
  return REASONS[String(codeOf(error))] ?? (error instanceof Error ? error.message : String(error));
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

/**
 * What to send after an error, of a block whose first bytes were sent. A line that was cut is sent again as a whole on the next line:
 * what follows stays readable, also if the file was truncated or replaced to make room.
 */
function restAfterError(block: Buffer, sent: number): Buffer {
  const isWhole = sent === 0 || block[sent - 1] === LINE_FEED[0];
  if (isWhole) return block.subarray(sent);
  return Buffer.concat([LINE_FEED, block.subarray(block.lastIndexOf(LINE_FEED, sent - 1) + 1)]);
}

/** Lines that wait together. */
interface Lines {
  text: string;
  count: number;
}

const noLines = (): Lines => ({ text: '', count: 0 });

export function createLogSink(options: LogSinkOptions): LogSink {
  const { blockLength, everyMs, maxWaiting, gapLine } = options;
  const { retryFailedMs = RETRY_FAILED_MS, writeBytes = write } = options;
  let fd = options.fd;
  /** Descriptors of former files, to be closed when no write uses them. */
  const retired: number[] = [];
  let waiting = noLines();
  /** The block that is being written, and how much of it was. It begins at the start of a line. */
  let [block, sent, blockCount, isWriting] = [NO_BYTES, 0, 0, false];
  /** Of the dropped lines, those that a line in the block or before it reports, and those that one before the block does. */
  let [dropped, reported, written] = [0, 0, 0];
  let reason = SLOW_READER;
  let timer: NodeJS.Timeout | undefined;

  const unsent = (): number => block.length - sent;

  function drop(count: number): void {
    dropped += count;
  }

  /** Drops the block, for whose bytes there is no reader. */
  function dropBlock(): void {
    drop(blockCount);
    reported = written;
    [block, sent, blockCount] = [NO_BYTES, 0, 0];
  }

  function afterWrite(error: NodeJS.ErrnoException | null, bytes: number): number {
    if (error === null) {
      sent += bytes;
      if (unsent() === 0) [block, sent, blockCount, written] = [NO_BYTES, 0, 0, reported];
      return everyMs;
    }
    reason = gapReason(error);
    if (isFull(error)) return RETRY_MS;
    if (hasNoReader(error)) dropBlock();
    else [block, sent] = [restAfterError(block, sent), 0];
    return retryFailedMs;
  }

  function send(): void {
    isWriting = true;
    writeBytes(fd, block.subarray(sent), (error, bytes) => {
      isWriting = false;
      closeRetired();
      const nextMs = afterWrite(error, bytes);
      if (waiting.count > 0 || unsent() > 0) sendLater(nextMs);
    });
  }

  function closeRetired(): void {
    for (const former of retired.splice(0)) closeSync(former);
  }

  function sendLater(ms: number): void {
    timer ??= setTimeout(sendBlock, ms).unref();
  }

  function sendBlock(): void {
    clearTimeout(timer);
    timer = undefined;
    if (isWriting) return;
    if (unsent() === 0) {
      [block, sent, blockCount] = [Buffer.from(waiting.text), 0, waiting.count];
      waiting = noLines();
    }
    if (unsent() > 0) send();
  }

  /** Says at its place how many lines are missing. */
  function reportGap(): void {
    if (dropped === reported) return;
    waiting.text += gapLine(dropped - reported, reason);
    reported = dropped;
  }

  return {
    write(line) {
      if (waiting.text.length + unsent() + line.length > maxWaiting) return drop(1);
      reportGap();
      waiting.text += line;
      waiting.count += 1;
      if (waiting.text.length >= blockLength && unsent() === 0) sendBlock();
      else if (!isWriting) sendLater(everyMs);
    },
    flush() {
      reportGap();
      const rest = isWriting ? NO_BYTES : block.subarray(sent);
      writeWithin(fd, Buffer.concat([rest, Buffer.from(waiting.text)]), FLUSH_WITHIN_MS);
      waiting = noLines();
      if (!isWriting) [block, sent, blockCount] = [NO_BYTES, 0, 0];
    },
    continueIn(next) {
      // The first one is standard error, which belongs to the process.
      if (fd !== options.fd) retired.push(fd);
      fd = next;
      if (!isWriting) closeRetired();
    },
    dropped: () => dropped,
  };
}

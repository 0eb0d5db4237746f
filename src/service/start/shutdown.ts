import { isatty } from 'node:tty';
import { SECOND } from '../../foundation/clock.ts';
import type { CloseStack } from '../../foundation/flow/closeStack.ts';
import type { ProcessLog } from '../log/processLog.ts';

const END_WITHIN_MS = 25 * SECOND;

/**
 * Stops on SIGTERM and SIGINT: the first signal finishes requests and closes in order, the second ends the process at once. Before
 * that, SIGTERM leaves the server open for the time of `drainFirst`: a load balancer sends requests until it has noticed.
 */
export function stopOnSignal(closeStack: CloseStack, { log, flush }: ProcessLog) {
  let isStopping = false;
  let drainMs = 0;
  const endLate = (): void => {
    log.error({}, 'requests did not end in time; the server stops without them');
    flush();
    process.exit(1);
  };
  const close = async (end: () => void): Promise<void> => {
    setTimeout(endLate, END_WITHIN_MS).unref();
    await closeStack.close();
    log.info({}, 'stopped');
    flush();
    end();
  };
  const stop = (signal: string, end: () => void = () => process.exit(0)): void => {
    if (isStopping) {
      flush();
      process.exit(1);
    }
    isStopping = true;
    const drain = signal === 'SIGTERM' ? drainMs : 0;
    log.info({ signal, drainMs: drain }, 'stopping: requests in progress are finished first');
    if (drain === 0) void close(end);
    else setTimeout(() => void close(end), drain);
  };
  process.on('SIGTERM', (signal) => stop(signal));
  process.on('SIGINT', (signal) => stop(signal));
  return {
    isStopping: () => isStopping,
    stop,
    /** Sets how long the server goes on answering after SIGTERM, once it is ready. */
    drainFirst(ms: number): void {
      drainMs = ms;
    },
  };
}

/** Ends the process on an uncaught exception, because its state in memory can no longer be trusted; the store can. */
export function endOnBug({ log, flush }: ProcessLog): void {
  process.on('uncaughtException', (error) => {
    log.error({ reason: error.message, stack: error.stack }, 'the server stops because of an internal error');
    flush();
    process.exit(70);
  });
}

/** Ends the process after a failed flush: only the recovery at the next start can tell what is on the disk. */
export function endOnBrokenDisk({ log, flush }: ProcessLog): (reason: string) => void {
  return (reason) => {
    log.error({ reason }, 'the disk of the store failed; the server stops, and its next start recovers the store');
    flush();
    process.exit(74);
  };
}

const STANDARD_STREAMS = [0, 1, 2];
const hasTerminal = (): boolean => STANDARD_STREAMS.some((fd) => isatty(fd));

export interface HangupOptions {
  readonly processLog: ProcessLog;
  /** Stops the server; called when its terminal was closed. */
  readonly stop: (signal: string, end: () => void) => void;
}

/** Node aborts in `process.exit` if the terminal is gone: it cannot restore its mode. The signal itself does not try. */
function endByHangup(): void {
  process.removeAllListeners('SIGHUP');
  process.kill(process.pid, 'SIGHUP');
}

/** What SIGHUP reads again besides the log. */
export interface Rereads {
  add(reread: () => Promise<void>): void;
}

/**
 * Handles SIGHUP: reopens the log, as tools that rotate logs expect, and reads again what may change while the server runs. A server
 * whose terminal is closed gets the same signal, and stops.
 */
export function rereadOnHangup({ processLog, stop }: HangupOptions): Rereads {
  const rereads: (() => Promise<void>)[] = [];
  const hadTerminal = hasTerminal();
  process.on('SIGHUP', (signal) => {
    // The descriptors of a closed terminal are no longer those of a terminal.
    if (hadTerminal && !hasTerminal()) return stop(signal, endByHangup);
    processLog.reopen();
    void (async () => {
      for (const reread of rereads) await reread();
      processLog.log.info(
        { signal },
        'the certificate was read again, and the log was reopened if it is a file; other settings need a restart',
      );
    })();
  });
  return { add: (reread) => void rereads.push(reread) };
}

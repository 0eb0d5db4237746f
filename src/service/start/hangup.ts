import { isatty } from 'node:tty';
import type { ProcessLog } from '../log/processLog.ts';

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

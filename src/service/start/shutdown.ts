import { SECOND } from '../../foundation/clock.ts';
import type { CloseStack } from '../../foundation/closeStack.ts';
import type { Log } from '../../foundation/log.ts';

const DRAIN_WITHIN_MS = 25 * SECOND;

/** The first signal drains and closes in order; the second ends at once. */
export function stopOnSignal(closing: CloseStack, log: Log, flush: () => void, beforeClosing: () => void): void {
  let isStopping = false;
  const stop = (signal: string): void => {
    if (isStopping) {
      flush();
      process.exit(1);
    }
    isStopping = true;
    log.info({ signal }, 'stopping: requests in progress are finished first');
    beforeClosing();
    setTimeout(() => {
      log.error({}, 'requests did not end in time; ending without them');
      flush();
      process.exit(1);
    }, DRAIN_WITHIN_MS).unref();
    void closing.close().then(() => {
      log.info({}, 'stopped');
      flush();
      process.exit(0);
    });
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

/** A bug ends the process: nobody knows what it has left behind, and the next start does. */
export function endOnBug(log: Log, flush: () => void): void {
  process.on('uncaughtException', (error) => {
    log.error({ reason: error.message, stack: error.stack }, 'a bug ended the process');
    flush();
    process.exit(70);
  });
}

/** After a failed flush nobody knows what is on disk; the next start recovers what is. */
export function endOnBrokenDisk(log: Log, flush: () => void): (reason: string) => void {
  return (reason) => {
    log.error({ reason }, 'the disk of the store failed; ending, so that the next start recovers what is on it');
    flush();
    process.exit(74);
  };
}

import { SECOND } from '../../foundation/clock.ts';
import type { CloseStack } from '../../foundation/closeStack.ts';
import type { ProcessLog } from '../log/processLog.ts';

const DRAIN_WITHIN_MS = 25 * SECOND;

/** Stops on SIGTERM and SIGINT: the first signal finishes requests and closes in order, the second ends the process at once. */
export function stopOnSignal(closeStack: CloseStack, { log, flush }: ProcessLog) {
  let isStopping = false;
  const stop = (signal: string, end: () => void = () => process.exit(0)): void => {
    if (isStopping) {
      flush();
      process.exit(1);
    }
    isStopping = true;
    log.info({ signal }, 'stopping: requests in progress are finished first');
    setTimeout(() => {
      log.error({}, 'requests did not end in time; the server stops without them');
      flush();
      process.exit(1);
    }, DRAIN_WITHIN_MS).unref();
    void closeStack.close().then(() => {
      log.info({}, 'stopped');
      flush();
      end();
    });
  };
  process.on('SIGTERM', (signal) => stop(signal));
  process.on('SIGINT', (signal) => stop(signal));
  return { isStopping: () => isStopping, stop };
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

import { MINUTE, SECOND } from '../../foundation/clock.ts';
import { StewardError, reasonOf } from '../../foundation/errors.ts';
import type { Store, StoreLocation, StoreOptions } from '../../store/store.ts';
import { openStore } from '../../store/store.ts';
import { describeLocation } from '../files/storeLocation.ts';
import type { StartContext } from '../startContext.ts';

const RETRY_FOR_MS = MINUTE;

/** Runs a step of the start that uses the store. The step may be run again. */
export type StoreRetry = <T>(step: () => Promise<T>) => Promise<T>;

/**
 * While PostgreSQL cannot be reached, the step is repeated for up to a minute. Other failures, such as a wrong password, and
 * all failures of the embedded store end the start at once: waiting does not help.
 */
export function createStoreRetry(
  location: StoreLocation,
  { clock, log }: Pick<StartContext, 'clock' | 'log'>,
): StoreRetry {
  const isTemporary = (error: unknown): error is StewardError =>
    location.kind === 'postgres' && error instanceof StewardError && error.code === 'unavailable';
  return async (step) => {
    const giveUpAt = clock.now() + RETRY_FOR_MS;
    for (;;) {
      try {
        return await step();
      } catch (error) {
        if (!isTemporary(error) || clock.now() > giveUpAt) throw error;
        log.warn({ store: describeLocation(location), reason: reasonOf(error.cause) }, 'waiting for the store');
        await clock.sleep(SECOND);
      }
    }
  };
}

/** Opens the store and migrates it. */
export async function openStoreWithRetry(
  location: StoreLocation,
  { clock, log, closeStack }: StartContext,
  retry: StoreRetry,
  hooks: Pick<StoreOptions, 'onBroken' | 'review'>,
): Promise<Store> {
  const store = await retry(() => openStore(location, { clock, log, leavesOneFile: true, ...hooks }));
  closeStack.add('store', () => store.close());
  if (store.migrated.length > 0)
    log.info({ migrations: store.migrated.join(', ') }, 'the schema of the store was upgraded');
  return store;
}

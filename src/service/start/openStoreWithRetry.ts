import { MINUTE, SECOND } from '../../foundation/clock.ts';
import { StewardError, reasonOf } from '../../foundation/errors.ts';
import type { Store, StoreLocation } from '../../store/store.ts';
import { openStore } from '../../store/store.ts';
import { describeLocation } from '../files/storeLocation.ts';
import type { StartContext } from './startContext.ts';

const RETRY_FOR_MS = MINUTE;

/** Opens the store. Waits for a PostgreSQL that is not up yet; a wrong password or schema fails at once. */
export async function openStoreWithRetry(
  location: StoreLocation,
  { clock, log, closeStack }: StartContext,
  onBroken: (reason: string) => void,
): Promise<Store> {
  const giveUpAt = clock.now() + RETRY_FOR_MS;
  for (;;) {
    try {
      const store = await openStore(location, { clock, log, onBroken });
      closeStack.add('store', () => store.close());
      if (store.migrated.length > 0)
        log.info({ migrations: store.migrated.join(', ') }, 'the store was brought up to date');
      return store;
    } catch (error) {
      if (!(error instanceof StewardError) || error.code !== 'unavailable' || clock.now() > giveUpAt) throw error;
      log.warn({ store: describeLocation(location), reason: reasonOf(error.cause) }, 'waiting for the store');
      await clock.sleep(SECOND);
    }
  }
}

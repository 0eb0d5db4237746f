import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { silentLog } from '../foundation/log.ts';
import { localActor } from '../foundation/actor.ts';
import { createCatalog } from '../catalog/catalog.ts';
import { manualClock } from '../../test/support/manualClock.ts';
import { storeKinds } from '../../test/support/stores.ts';
import type { Store } from './store.ts';
import { openStore } from './store.ts';

describe.each(storeKinds)('a store $title', (kind) => {
  describe.skipIf(!kind.isHere)(kind.title, () => {
    let store: Store;
    let remove: () => Promise<void>;
    beforeAll(async () => {
      const made = await kind.place();
      remove = made.remove;
      store = await openStore(made.place, { clock: manualClock(), log: silentLog });
    });
    afterAll(async () => {
      await store?.close();
      await remove?.();
    });
    test('publishes', async () => {
      const catalog = createCatalog({ store: store.catalog, clock: manualClock() });
      await catalog.createService(
        localActor('x'),
        { folder: '', name: 'A', type: 'B' },
        { description: '', capabilities: '', parentType: '', url: '', access: 'public' },
      );
      catalog.forget();
      expect((await catalog.listing()).services).toHaveLength(1);
      expect(await store.access.audit({ before: undefined, target: undefined, limit: 5 })).toHaveLength(1);
    });
  });
});

import { createAccess } from '../access/access.ts';
import { createPasswords } from '../access/passwords.ts';
import { createCatalog } from '../catalog/catalog.ts';
import type { Clock } from '../foundation/clock.ts';
import type { Areas } from '../http/routes.ts';
import type { Store } from '../store/store.ts';
import { createMode } from '../upgrades/mode.ts';
import type { Settings } from './settings.ts';

/** The areas on a store, each told when what it remembers has changed. */
export function createAreas(
  store: Store,
  settings: Pick<Settings, 'tokenMinutes' | 'tokenLongestMinutes'>,
  clock: Clock,
): Areas {
  const access = createAccess({
    store: store.access,
    clock,
    passwords: createPasswords(),
    isUpToDate: store.revisions.isUpToDate,
    defaultTokenMinutes: settings.tokenMinutes,
    longestTokenMinutes: settings.tokenLongestMinutes,
  });
  const catalog = createCatalog({ store: store.catalog, clock });
  const mode = createMode({ store: store.mode });
  store.revisions.watch('access', access.tokens.forget);
  store.revisions.watch('catalog', catalog.forget);
  store.revisions.watch('mode', mode.forget);
  return { access, catalog, mode };
}

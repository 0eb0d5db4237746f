import { StewardError } from '../../foundation/errors.ts';
import type { Version } from '../../model/version.ts';
import type { NewVersions } from '../ports/upgradeStore.ts';

/** Every request reads all known versions, so their number is limited. */
const MAX_KNOWN_VERSIONS = 1000;

/** Returns the new versions, or throws if there would be too many. */
export function withinLimit(known: readonly Version[], more: NewVersions): NewVersions {
  const ids = new Set([...known, ...more.versions].map(({ id }) => id));
  if (more.versions.length === 0 || ids.size <= MAX_KNOWN_VERSIONS) return more;
  throw new StewardError('conflict', `At most ${MAX_KNOWN_VERSIONS} versions are kept; these would make ${ids.size}.`);
}

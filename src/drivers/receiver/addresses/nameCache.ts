import { lookup as systemLookup } from 'node:dns/promises';
import { createBoundedCache } from '../../../foundation/boundedCache.ts';
import { MINUTE, SECOND } from '../../../foundation/clock.ts';
import { createLookupQueue } from './lookupQueue.ts';
import type { Lookup } from './lookupQueue.ts';

export const FRESH_MS = 30 * SECOND;
/** A failure asks again after this time at the earliest. */
const REFRESH_AFTER_MS = SECOND;
/** An older answer may be the address of someone else. */
export const MAX_AGE_MS = 10 * MINUTE;
const MAX_NAMES = 10_000;

interface CachedAnswer {
  readonly addresses: readonly string[];
  readonly at: number;
}

export interface NameCacheOptions {
  /** Replaces the look-up of the operating system. */
  readonly lookup?: Lookup | undefined;
  /** A monotonic clock in milliseconds. */
  readonly now?: (() => number) | undefined;
}

const lookupBySystem: Lookup = async (name) => {
  const found = await systemLookup(name, { all: true });
  return found.map(({ address }) => address);
};

/**
 * Caches the addresses of names, so that sending does not depend on a look-up that hangs. An answer is used for ten minutes; when
 * it is older than 30 s, using it also starts a new look-up.
 */
export function createNameCache({ lookup = lookupBySystem, now = () => performance.now() }: NameCacheOptions) {
  const { lookUp, isPending } = createLookupQueue(lookup);
  const answers = createBoundedCache<string, CachedAnswer>(MAX_NAMES);

  function cachedAnswer(name: string): CachedAnswer | undefined {
    const answer = answers.get(name);
    return answer !== undefined && now() - answer.at <= MAX_AGE_MS ? answer : undefined;
  }

  async function renew(name: string): Promise<readonly string[]> {
    const addresses = await lookUp(name);
    answers.set(name, { addresses, at: now() });
    return addresses;
  }

  return {
    async find(name: string): Promise<readonly string[]> {
      const answer = cachedAnswer(name);
      if (answer === undefined) return renew(name);
      // The caller does not wait for this look-up. If it fails, the cached answer stays in use.
      if (now() - answer.at > FRESH_MS) renew(name).catch(() => {});
      return answer.addresses;
    },
    /** Looks a name up without reading or writing the cache. */
    lookUp,
    /** Looks a known name up again after a failure, so that the next attempt follows it if it has moved. */
    refresh(name: string): void {
      const answer = cachedAnswer(name);
      if (answer !== undefined && now() - answer.at > REFRESH_AFTER_MS) renew(name).catch(() => {});
    },
    delete: (name: string) => answers.delete(name),
    /** Whether `find` has to wait for a look-up that is pending. */
    isAwaited: (name: string) => isPending(name) && cachedAnswer(name) === undefined,
  };
}

export type NameCache = ReturnType<typeof createNameCache>;

import { lookup as systemLookup } from 'node:dns/promises';
import { createBoundedCache } from '../../../foundation/cache/boundedCache.ts';
import { MINUTE, SECOND } from '../../../foundation/clock.ts';
import { createLookupQueue } from './lookupQueue.ts';
import type { Lookup } from './lookupQueue.ts';
import type { NameServers } from './nameServers.ts';
import { systemNameServers } from './nameServers.ts';
import { isTemporary, watchNameServers } from './nameServerTrouble.ts';

export const FRESH_MS = 30 * SECOND;
/** A failure asks again after this time at the earliest. */
const REFRESH_AFTER_MS = SECOND;
/** An older answer may be the address of someone else. */
export const MAX_AGE_MS = 10 * MINUTE;
export const MAX_NAMES = 10_000;

export type NameWait = 'name' | 'steward';

interface CachedAnswer {
  readonly addresses: readonly string[];
  readonly at: number;
}

export interface NameCacheOptions {
  /** Replaces the look-up of the operating system. */
  readonly lookup?: Lookup | undefined;
  /** Replaces the name servers of the operating system. */
  readonly nameServers?: NameServers | undefined;
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
export function createNameCache(options: NameCacheOptions) {
  const { lookup = lookupBySystem, now = () => performance.now() } = options;
  const nameServers = options.nameServers ?? (options.lookup === undefined ? systemNameServers : undefined);
  const trouble = watchNameServers(nameServers);
  const { lookUp, isPending, ranForMs } = createLookupQueue(lookup, {
    direct: nameServers?.resolve,
    onSlow: (name) => void trouble.look(name),
  });
  const answers = createBoundedCache<string, CachedAnswer>(MAX_NAMES);

  function cachedAnswer(name: string): CachedAnswer | undefined {
    const answer = answers.get(name);
    return answer !== undefined && now() - answer.at <= MAX_AGE_MS ? answer : undefined;
  }

  async function renew(name: string): Promise<readonly string[]> {
    const addresses = await lookUp(name).catch(async (error: unknown) => {
      throw isTemporary(error) && (await trouble.look(name)) ? trouble.error(error) : error;
    });
    answers.set(name, { addresses, at: now() });
    trouble.found(name);
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
    /**
     * What `find` waits for, if it does. It waits for the name if the look-up has taken this long although the name servers work.
     * Otherwise it waits for Steward, which has not begun with the look-up, or whose name servers may not work.
     */
    waitsFor(name: string, ms: number): NameWait | undefined {
      if (!isPending(name) || cachedAnswer(name) !== undefined) return undefined;
      return ranForMs(name) >= ms && trouble.areKnownToWork() ? 'name' : 'steward';
    },
  };
}

export type NameCache = ReturnType<typeof createNameCache>;

import { lookup as systemLookup } from 'node:dns/promises';
import { MINUTE, SECOND } from '../../../foundation/clock.ts';
import { createLookupQueue } from './lookupQueue.ts';
import type { Lookup } from './lookupQueue.ts';
import { createRecent } from '../recent.ts';

export const FRESH_MS = 30 * SECOND;
export const MAX_AGE_MS = 10 * MINUTE;
const MOST_NAMES = 10_000;

interface Answer {
  readonly addresses: readonly string[];
  readonly at: number;
}

export interface NameCacheOptions {
  /** In place of the system's own look-up. */
  readonly lookup?: Lookup | undefined;
  /** Milliseconds that never go back. */
  readonly now?: (() => number) | undefined;
}

const lookupBySystem: Lookup = async (name) => {
  const found = await systemLookup(name, { all: true });
  return found.map(({ address }) => address);
};

/**
 * The addresses of names, remembered: a receiver that is sent to does not depend on a look-up that is held up. An answer
 * is used for ten minutes, and asked for anew from half a minute on; older it may be the address of someone else.
 */
export function createNameCache({ lookup = lookupBySystem, now = () => performance.now() }: NameCacheOptions) {
  const { ask, isAsked } = createLookupQueue(lookup);
  const answers = createRecent<Answer>(MOST_NAMES);

  function remembered(name: string): Answer | undefined {
    const known = answers.find(name);
    return known !== undefined && now() - known.at <= MAX_AGE_MS ? known : undefined;
  }

  async function renew(name: string): Promise<readonly string[]> {
    const addresses = await ask(name);
    answers.keep(name, { addresses, at: now() });
    return addresses;
  }

  return {
    async find(name: string): Promise<readonly string[]> {
      const known = remembered(name);
      if (known === undefined) return renew(name);
      // Nobody waits for this one; when it fails, the answer that is known serves on.
      if (now() - known.at > FRESH_MS) renew(name).catch(() => {});
      return known.addresses;
    },
    /** Neither uses what is remembered nor adds to it. */
    findAnew: ask,
    forget: (name: string) => answers.drop(name),
    /** Whether who needs this name now has to wait for its look-up. */
    isAwaited: (name: string) => isAsked(name) && remembered(name) === undefined,
  };
}

export type NameCache = ReturnType<typeof createNameCache>;

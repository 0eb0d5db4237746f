import { Resolver } from 'node:dns/promises';
import { SECOND } from '../../../foundation/clock.ts';
import type { Lookup } from './lookupQueue.ts';

/** The name servers of this machine, asked without a thread. They know neither the hosts file nor the search domains. */
export interface NameServers {
  readonly resolve: Lookup;
  /** Whether they answer at all, to a question about no receiver. */
  answer(): Promise<boolean>;
}

const PATIENCE = { timeout: 2 * SECOND, tries: 1 };
/** That a name or its record does not exist is an answer. */
const ANSWERS: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA']);

const hasAnswered = (error: unknown): boolean => error instanceof Error && 'code' in error && ANSWERS.has(error.code);

export const systemNameServers: NameServers = {
  async resolve(name) {
    // A new one each time, because it reads the addresses of the servers only once.
    const resolver = new Resolver(PATIENCE);
    const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const addresses = found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
    if (addresses.length === 0) throw new Error(`the name servers have no address of ${name}`);
    return addresses;
  },
  answer: () => new Resolver(PATIENCE).resolveNs('.').then(() => true, hasAnswered),
};

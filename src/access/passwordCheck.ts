// Checks passwords: throttles guesses, hashes in fair turns, and records failures. `access.ts` signs people in with it.
import type { Clock } from '../foundation/clock.ts';
import { StewardError } from '../foundation/errors.ts';
import type { Actor } from '../model/actor.ts';
import type { AccessStore, Account } from './accessStore.ts';
import { normalizeUsername } from './accounts.ts';
import { networkOf } from './address.ts';
import type { FairQueue } from './fairQueue.ts';
import type { Passwords } from './passwords.ts';
import { FAILURES_COUNT_FOR_MS, auditOfFailure, delayOfFailure, refuseThrottled } from './throttle.ts';
import type { Caller } from './tokens.ts';

type Asker = Pick<Caller, 'address' | 'requestId'>;

/** The answer to a wrong password. */
export interface Refusal {
  readonly message: string;
  readonly details: readonly string[];
}

/** The same for unknown users. */
const SIGN_IN: Refusal = { message: 'Unable to generate token.', details: ['Invalid username or password specified.'] };

interface PasswordCheckOptions {
  readonly store: AccessStore;
  readonly clock: Clock;
  readonly passwords: Passwords;
  readonly queue: FairQueue;
}

export function createPasswordCheck({ store, clock, passwords, queue }: PasswordCheckOptions) {
  const counts = { succeeded: 0, failed: 0, throttled: 0 };

  function refuseNow(...[failures, now, alreadyCounted]: Parameters<typeof refuseThrottled>): void {
    try {
      refuseThrottled(failures, now, alreadyCounted);
    } catch (error) {
      counts.throttled += 1;
      throw error;
    }
  }

  /** Records a failure and refuses it; more slowly if the account is guessed from many networks. */
  async function refuse(
    username: string,
    isKnown: boolean,
    { address, requestId }: Asker,
    { message, details }: Refusal = SIGN_IN,
  ): Promise<never> {
    const [network, at] = [networkOf(address), clock.now()];
    const failure = { account: username, network, at, since: at - FAILURES_COUNT_FOR_MS };
    const by: Actor = { name: 'anonymous', role: 'viewer', address, requestId };
    const audit = auditOfFailure(isKnown ? username : undefined, network, at);
    const failures = await store.addLoginFailure(failure, by, audit);
    refuseNow(failures, at, 1);
    counts.failed += 1;
    const delayMs = delayOfFailure(failures.networks);
    if (delayMs > 0) await clock.sleep(delayMs);
    throw new StewardError('invalid', message, { details });
  }

  return {
    counts,
    refuse,

    /** Returns the account if the password is right. Failures are counted and throttled per pair of account and network. */
    async check(name: string, password: string, caller: Asker, refusal?: Refusal): Promise<Account> {
      const [username, network] = [normalizeUsername(name), networkOf(caller.address)];
      const throttle = async (): Promise<number> => {
        const now = clock.now();
        const failures = await store.loginFailures(username, network, now - FAILURES_COUNT_FOR_MS);
        refuseNow(failures, now);
        return failures.ofPair;
      };
      await throttle();
      const account = await queue.run(network, async () => {
        // Check again: guesses that arrived together all passed the first check before any of them was counted.
        await throttle();
        const found = await store.account(username);
        const isRight = await passwords.matches(password, found?.passwordHash);
        return { found, isRight };
      });
      if (!account.isRight || account.found === undefined)
        return refuse(username, account.found !== undefined, caller, refusal);
      // And again, for those that were hashed at the same time.
      if ((await throttle()) > 0) await store.clearLoginFailures(username, network);
      counts.succeeded += 1;
      return account.found;
    },
  };
}

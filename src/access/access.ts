import { MINUTE } from '../foundation/clock.ts';
import type { Actor } from '../model/actor.ts';
import type { Clock } from '../foundation/clock.ts';
import { StewardError, invalidField } from '../foundation/errors.ts';
import type { AccessStore, Account, AuditEntry, AuditQuery, Binding } from './accessStore.ts';
import { createAccounts, normalizeUsername } from './accounts.ts';
import { canonicalAddress } from './binding.ts';
import type { Passwords } from './passwords.ts';
import { FAILURES_COUNT_FOR_MS, refuseThrottled } from './throttle.ts';
import type { Caller, IssuedToken } from './tokens.ts';
import { createTokens } from './tokens.ts';

export interface SignIn {
  readonly username: string;
  readonly password: string;
  readonly kind: 'login' | 'session';
  readonly client?: 'referer' | 'ip' | 'requestip' | undefined;
  readonly referer?: string | undefined;
  readonly ip?: string | undefined;
  readonly minutes?: number | undefined;
}

export type Access = ReturnType<typeof createAccess>;

function bindingOf(wanted: SignIn, caller: Caller): Binding | undefined {
  if (wanted.client === undefined) return undefined;
  if (wanted.client === 'referer') {
    if (wanted.referer === undefined) throw invalidField('referer', 'needed with client=referer');
    return { client: 'referer', value: wanted.referer };
  }
  if (wanted.client === 'ip' && wanted.ip === undefined) throw invalidField('ip', 'needed with client=ip');
  const address = canonicalAddress(wanted.client === 'ip' ? (wanted.ip ?? '') : caller.address);
  if (address === undefined) throw invalidField('ip', 'must be an IPv4 or IPv6 address');
  return { client: 'ip', value: address };
}

/** Who may do what: people, their tokens, and the log of what they changed. */
export function createAccess(needs: {
  readonly store: AccessStore;
  readonly clock: Clock;
  readonly passwords: Passwords;
  readonly isUpToDate: () => boolean;
  readonly defaultTokenMinutes: number;
  readonly longestTokenMinutes: number;
}) {
  const { store, clock, passwords } = needs;
  const accounts = createAccounts(needs);
  const tokens = createTokens(needs);

  async function refuseLogin(account: string, address: string): Promise<never> {
    const now = clock.now();
    refuseThrottled(await store.addLoginFailure(account, address, now, now - FAILURES_COUNT_FOR_MS), now, 1);
    throw new StewardError('invalid', 'Unable to generate token.', {
      details: ['Invalid username or password specified.'],
    });
  }

  /** The account, if the password is right; counted and throttled for the pair of account and address. */
  async function checkPassword(name: string, password: string, address: string): Promise<Account> {
    const username = normalizeUsername(name);
    const since = clock.now() - FAILURES_COUNT_FOR_MS;
    refuseThrottled(await store.loginFailures(username, address, since), clock.now());
    const account = await store.account(username);
    const isRight = await passwords.matches(password, account?.passwordHash);
    if (!isRight || account === undefined) return refuseLogin(username, address);
    // Once more: many guesses that came together were all let in before the first of them was counted.
    const failures = await store.loginFailures(username, address, since);
    refuseThrottled(failures, clock.now());
    if (failures.ofPair > 0) await store.clearLoginFailures(username, address);
    return account;
  }

  return {
    accounts,
    tokens,

    async signIn(wanted: SignIn, caller: Caller): Promise<IssuedToken> {
      const binding = bindingOf(wanted, caller);
      const account = await checkPassword(wanted.username, wanted.password, caller.address);
      const minutes = Math.min(wanted.minutes ?? needs.defaultTokenMinutes, needs.longestTokenMinutes);
      const issued = await tokens.issue(account, { kind: wanted.kind, binding, minutes });
      return issued ?? refuseLogin(account.username, caller.address);
    },

    async changeOwnPassword(by: Actor, current: string, next: string): Promise<void> {
      await accounts.changePassword(by, await checkPassword(by.name, current, by.address), next);
    },

    audit: (query: AuditQuery): Promise<readonly AuditEntry[]> => store.audit(query),

    /** One turn of housekeeping. */
    async runHousekeeping(signal: AbortSignal): Promise<void> {
      await tokens.noteUse();
      const now = clock.now();
      while (!signal.aborted && (await store.prune(now - MINUTE, now - FAILURES_COUNT_FOR_MS)));
    },
  };
}

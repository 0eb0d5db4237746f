import { MINUTE } from '../foundation/clock.ts';
import { StewardError, invalidField } from '../foundation/errors.ts';
import type { Actor } from '../model/actor.ts';
import type { Account, AuditEntry, AuditQuery, Binding } from './accessStore.ts';
import type { AccountsOptions } from './accounts.ts';
import { createAccounts, normalizeUsername } from './accounts.ts';
import { canonicalAddress } from './binding.ts';
import { FAILURES_COUNT_FOR_MS, refuseThrottled } from './throttle.ts';
import type { Caller, IssuedToken, TokensOptions } from './tokens.ts';
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

export interface AccessOptions extends AccountsOptions, TokensOptions {
  readonly defaultTokenMinutes: number;
  readonly longestTokenMinutes: number;
}

export type Access = ReturnType<typeof createAccess>;

function bindingOf({ client, referer, ip }: SignIn, caller: Caller): Binding | undefined {
  if (client === undefined) return undefined;
  if (client === 'referer') {
    if (referer === undefined) throw invalidField('referer', 'needed with client=referer');
    return { client, value: referer };
  }
  if (client === 'ip' && ip === undefined) throw invalidField('ip', 'needed with client=ip');
  const address = canonicalAddress(client === 'ip' ? (ip ?? '') : caller.address);
  if (address === undefined) throw invalidField('ip', 'must be an IPv4 or IPv6 address');
  return { client: 'ip', value: address };
}

/** Creates the area that knows who may do what: accounts, tokens, and the audit log of changes. */
export function createAccess(options: AccessOptions) {
  const { store, clock, passwords } = options;
  const accounts = createAccounts(options);
  const tokens = createTokens(options);

  async function refuseLogin(account: string, address: string): Promise<never> {
    const now = clock.now();
    refuseThrottled(await store.addLoginFailure(account, address, now, now - FAILURES_COUNT_FOR_MS), now, 1);
    throw new StewardError('invalid', 'Unable to generate token.', {
      details: ['Invalid username or password specified.'],
    });
  }

  /** Returns the account if the password is right. Failures are counted and throttled per pair of account and address. */
  async function checkPassword(name: string, password: string, address: string): Promise<Account> {
    const username = normalizeUsername(name);
    const since = clock.now() - FAILURES_COUNT_FOR_MS;
    refuseThrottled(await store.loginFailures(username, address, since), clock.now());
    const account = await store.account(username);
    const isRight = await passwords.matches(password, account?.passwordHash);
    if (!isRight || account === undefined) return refuseLogin(username, address);
    // Check again: guesses that arrived together all passed the first check before any of them was counted.
    const failures = await store.loginFailures(username, address, since);
    refuseThrottled(failures, clock.now());
    if (failures.ofPair > 0) await store.clearLoginFailures(username, address);
    return account;
  }

  return {
    accounts,
    tokens,

    async signIn(request: SignIn, caller: Caller): Promise<IssuedToken> {
      const binding = bindingOf(request, caller);
      const account = await checkPassword(request.username, request.password, caller.address);
      const minutes = Math.min(request.minutes ?? options.defaultTokenMinutes, options.longestTokenMinutes);
      const issued = await tokens.issue(account, { kind: request.kind, binding, minutes });
      return issued ?? refuseLogin(account.username, caller.address);
    },

    /** Changes the password and ends the sessions of the user; the named tokens too, unless they are kept. */
    async changeOwnPassword(by: Actor, current: string, next: string, keepTokens = false): Promise<void> {
      await accounts.changePassword(by, await checkPassword(by.name, current, by.address), next, keepTokens);
    },

    audit: (query: AuditQuery): Promise<readonly AuditEntry[]> => store.audit(query),

    /** Writes when tokens were last used, and removes expired tokens and old login failures. */
    async runHousekeeping(signal: AbortSignal): Promise<void> {
      await tokens.writeLastUses();
      const now = clock.now();
      while (!signal.aborted && (await store.prune(now - MINUTE, now - FAILURES_COUNT_FOR_MS)));
    },
  };
}

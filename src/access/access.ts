import { MINUTE } from '../foundation/clock.ts';
import { StewardError, invalidField } from '../foundation/errors.ts';
import type { Actor } from '../model/actor.ts';
import type { AuditLogOptions } from './audit/auditLog.ts';
import { createAuditLog } from './audit/auditLog.ts';
import type { AuditEntry, AuditQuery } from './audit/auditStore.ts';
import type { AccessStore, Binding } from './accessStore.ts';
import type { AccountsOptions } from './accounts.ts';
import { createAccounts } from './accounts.ts';
import { canonicalAddress } from './address.ts';
import { createFairQueue } from './fairQueue.ts';
import { createPasswordCheck } from './passwordCheck.ts';
import type { Passwords } from './passwords.ts';
import { FAILURES_COUNT_FOR_MS } from './throttle.ts';
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

/** Hashing is slow on purpose and shares its threads with disk access, so few run at once and the rest queue. */
const HASHING = { maxRunning: 2, maxWaiting: 200 };
/** The line of passwords that are set, by people who are signed in already. No address has this name. */
const LOCAL = 'local';

export interface AccessOptions extends Omit<AccountsOptions, 'hash'>, TokensOptions, AuditLogOptions {
  readonly store: AccessStore;
  readonly passwords: Passwords;
  readonly defaultTokenMinutes: number;
  readonly longestTokenMinutes: number;
}

export type Access = ReturnType<typeof createAccess>;

function bindingOf({ client, referer, ip }: SignIn, caller: Caller): Binding | undefined {
  if (client === undefined) return undefined;
  if (client === 'referer') {
    if (referer === undefined) throw invalidField('referer', 'is required with client=referer');
    return { client, value: referer };
  }
  if (client === 'ip' && ip === undefined) throw invalidField('ip', 'is required with client=ip');
  const address = canonicalAddress(client === 'ip' ? (ip ?? '') : caller.address);
  if (address === undefined) throw invalidField('ip', `must be an IPv4 or IPv6 address, not "${ip ?? ''}"`);
  return { client: 'ip', value: address };
}

/** Creates the area that knows who may do what: accounts, tokens, and the audit log of changes. */
export function createAccess(options: AccessOptions) {
  const { store, clock, passwords } = options;
  const queue = createFairQueue(HASHING);
  const accounts = createAccounts({ ...options, hash: (password) => queue.run(LOCAL, () => passwords.hash(password)) });
  const tokens = createTokens(options);
  const auditLog = createAuditLog(options);
  const passwordCheck = createPasswordCheck({ store, clock, passwords, queue });

  return {
    accounts,
    tokens,
    /** How many sign-ins ended in which way on this replica; for metrics. */
    signIns: passwordCheck.counts,

    async signIn(request: SignIn, caller: Caller): Promise<IssuedToken> {
      const binding = bindingOf(request, caller);
      const account = await passwordCheck.check(request.username, request.password, caller);
      const minutes = Math.min(request.minutes ?? options.defaultTokenMinutes, options.longestTokenMinutes);
      const issued = await tokens.issue(account, { kind: request.kind, binding, minutes });
      return issued ?? passwordCheck.refuse(account.username, true, caller);
    },

    /** Exchanges a token that the caller has for a new one of the same user. */
    exchange(secret: string, caller: Caller, minutes = options.defaultTokenMinutes): Promise<IssuedToken> {
      return tokens.exchange(secret, caller, Math.min(minutes, options.longestTokenMinutes));
    },

    /** Changes the password and ends the sessions of the user; the named tokens too, unless they are kept. */
    async changeOwnPassword(by: Actor, current: string, next: string, keepTokens = false): Promise<void> {
      if (by.isNamedToken)
        throw new StewardError('invalid', 'A named token has no password. Sign in as a user to change the password.');
      const checked = await passwordCheck.check(by.name, current, by, {
        message: 'The password was not changed.',
        details: [`currentPassword: must be the password that ${by.name} signs in with now`],
      });
      await accounts.changePassword(by, checked, next, keepTokens);
    },

    audit: (query: AuditQuery): Promise<readonly AuditEntry[]> => store.audit(query),
    exportAudit: auditLog.export,

    /** Writes when tokens were last used, and removes expired tokens, old login failures and old entries of the audit log. */
    async runHousekeeping(signal: AbortSignal): Promise<void> {
      await tokens.writeLastUses();
      const now = clock.now();
      while (!signal.aborted && (await store.prune(now - MINUTE, now - FAILURES_COUNT_FOR_MS)));
      await auditLog.prune(signal);
    },
  };
}

// The port of the access area to the store, with the values that both share: accounts, tokens, login failures. The audit
// log has its own port.

import type { EntityValues } from '../model/entity/field.ts';
import type { NAMED_TOKEN } from '../model/entity/namedToken.ts';
import type { UserDetails } from '../model/entity/user.ts';
import type { Actor, Role } from '../model/actor.ts';
import type { Decision } from '../model/decision.ts';
import type { Mode } from '../model/mode.ts';
import type { AuditStore } from './audit/auditStore.ts';

export interface Account extends UserDetails {
  readonly username: string;
  readonly passwordHash: string;
  readonly created: number;
  readonly modified: number;
}

/** Sessions are the tokens that a user got by signing in; `all` also ends the named tokens that the user has created. */
export type EndedTokens = 'none' | 'sessions' | 'all';

export type AccountChange =
  | { readonly kind: 'none' }
  | { readonly kind: 'put'; readonly account: Account; readonly ends: EndedTokens }
  /** Ends all tokens of the user, except those that another user takes over. */
  | { readonly kind: 'remove'; readonly takenOver: readonly Pick<Token, 'id' | 'username' | 'role'>[] }
  | { readonly kind: 'endTokens' };

/** The state that a decision about an account is based on, read under lock. */
export interface AccountSnapshot {
  readonly found: Account | undefined;
  /** The named tokens that this user has created. */
  readonly namedTokens: readonly Token[];
  /** The names of all accounts. */
  readonly usernames: readonly string[];
  readonly administrators: number;
  readonly mode: Mode;
}

export interface Binding {
  readonly client: 'referer' | 'ip';
  readonly value: string;
}

/** Its role is the one that it was issued with; `roleOf` says which one it has now. */
export interface Token extends EntityValues<typeof NAMED_TOKEN> {
  readonly id: string;
  /** `login` is made by generateToken, `session` is in the console's cookie, `named` is for machines. */
  readonly kind: 'login' | 'session' | 'named';
  /** The user who signed in, or the creator of the named token. */
  readonly username: string;
  /** The current role of the user. */
  readonly userRole: Role;
  readonly onlyService: string | undefined;
  readonly binding: Binding | undefined;
  readonly created: number;
  readonly expires: number;
  readonly lastUsed: number | undefined;
}

/** A failed sign-in: by network, because one caller may have many addresses. */
export interface LoginFailure {
  readonly account: string;
  readonly network: string;
  readonly at: number;
  /** Failures before this time do not count any more. */
  readonly since: number;
}

/** The failed sign-ins of one account within five minutes, as the audit log shows them. */
export interface FailureSummary {
  readonly failures: number;
  /** The first networks; more are counted, but not listed. */
  readonly addresses: readonly string[];
  readonly last: number;
}

export interface FailureAudit {
  readonly action: string;
  readonly target: string;
  readonly add: (before: FailureSummary | undefined) => FailureSummary;
}

export interface LoginFailures {
  readonly ofPair: number;
  readonly ofAddress: number;
  /** The times of the oldest failures that still count. */
  readonly oldestOfPair: number;
  readonly oldestOfAddress: number;
}

/** Each method is one transaction. */
export interface AccessStore extends AuditStore {
  account(username: string): Promise<Account | undefined>;
  accounts(): Promise<readonly Account[]>;
  changeAccount(
    username: string,
    by: Actor,
    decide: (snapshot: AccountSnapshot) => Decision<AccountChange>,
  ): Promise<Account | undefined>;

  /** Reads a token by the hash of its secret. A token whose user does not exist is not found. */
  token(hash: string): Promise<Token | undefined>;
  tokens(now: number): Promise<readonly Token[]>;
  /** Adds nothing and returns false if the password has changed since it was checked. */
  addLoginToken(hash: string, token: Token, checked: Account): Promise<boolean>;
  /** Adds nothing and returns false if the token with the id `of` has ended. */
  addExchangedToken(hash: string, token: Token, of: string): Promise<boolean>;
  addNamedToken(hash: string, by: Actor, decide: (creator: Account | undefined) => Decision<Token>): Promise<void>;
  removeToken(id: string, by: Actor, decide: (found: Token | undefined) => Decision<'remove'>): Promise<void>;
  /** Returns false for a named token, which only an administrator may revoke. */
  endSession(hash: string): Promise<boolean>;
  noteTokensUsed(used: ReadonlyMap<string, number>): Promise<void>;
  /** Removes a bounded number of expired tokens and old failures. Returns true if there may be more. */
  prune(now: number, failuresBefore: number): Promise<boolean>;

  loginFailures(account: string, network: string, since: number): Promise<LoginFailures>;
  /**
   * Adds a failure, and counts it in the latest audit entry of this action and target, or in a new one if that began before
   * `since`. `networks` is from how many networks the account was guessed; at most 100 are counted.
   */
  addLoginFailure(
    failure: LoginFailure,
    by: Actor,
    audit: FailureAudit,
  ): Promise<LoginFailures & { readonly networks: number }>;
  clearLoginFailures(account: string, network: string): Promise<void>;
}

// The port of the access area to the store, with the values that both share: accounts, tokens, audit entries, login failures.

import type { Actor, Role } from '../model/actor.ts';
import type { Decision } from '../model/decision.ts';

export interface Account {
  readonly username: string;
  readonly fullName: string;
  readonly role: Role;
  readonly passwordHash: string;
  readonly created: number;
  readonly modified: number;
}

export type AccountChange =
  | { readonly kind: 'none' }
  | { readonly kind: 'put'; readonly account: Account; readonly endSessions: boolean }
  | { readonly kind: 'remove' };

/** The state that a decision about an account is based on, read under lock. */
export interface AccountSnapshot {
  readonly found: Account | undefined;
  /** How many accounts there are. */
  readonly accounts: number;
  readonly administrators: number;
}

export interface Binding {
  readonly client: 'referer' | 'ip';
  readonly value: string;
}

export interface Token {
  readonly id: string;
  /** `login` is made by generateToken, `session` is in the console's cookie, `named` is for machines. */
  readonly kind: 'login' | 'session' | 'named';
  readonly name: string;
  readonly username: string;
  /** A named token has a fixed role; the others have the current role of their user. */
  readonly role: Role;
  readonly onlyService: string | undefined;
  readonly binding: Binding | undefined;
  readonly created: number;
  readonly expires: number;
  readonly lastUsed: number | undefined;
}

export interface AuditEntry {
  readonly id: number;
  readonly when: number;
  readonly who: string;
  readonly from: string;
  readonly requestId: string;
  readonly action: string;
  readonly target: string;
  readonly before: unknown;
  readonly after: unknown;
}

export interface AuditQuery {
  readonly before: number | undefined;
  readonly target: string | undefined;
  readonly limit: number;
}

export interface LoginFailures {
  readonly ofPair: number;
  readonly ofAddress: number;
  /** The times of the oldest failures that still count. */
  readonly oldestOfPair: number;
  readonly oldestOfAddress: number;
}

/** Each method is one transaction. */
export interface AccessStore {
  account(username: string): Promise<Account | undefined>;
  accounts(): Promise<readonly Account[]>;
  changeAccount(
    username: string,
    by: Actor,
    decide: (snapshot: AccountSnapshot) => Decision<AccountChange>,
  ): Promise<Account | undefined>;

  /** Reads a token by the hash of its secret, with the current role of its user. */
  token(hash: string): Promise<Token | undefined>;
  tokens(now: number): Promise<readonly Token[]>;
  /** Adds nothing and returns false if the password has changed since it was checked. */
  addLoginToken(hash: string, token: Token, checked: Account): Promise<boolean>;
  addNamedToken(hash: string, by: Actor, decide: () => Decision<Token>): Promise<void>;
  removeToken(id: string, by: Actor, decide: (found: Token | undefined) => Decision<'remove'>): Promise<void>;
  /** Returns false for a named token, which only an administrator may revoke. */
  endSession(hash: string): Promise<boolean>;
  noteTokensUsed(used: ReadonlyMap<string, number>): Promise<void>;
  /** Removes a bounded number of expired tokens and old failures. Returns true if there may be more. */
  prune(now: number, failuresBefore: number): Promise<boolean>;

  loginFailures(account: string, address: string, since: number): Promise<LoginFailures>;
  addLoginFailure(account: string, address: string, at: number, since: number): Promise<LoginFailures>;
  clearLoginFailures(account: string, address: string): Promise<void>;

  audit(query: AuditQuery): Promise<readonly AuditEntry[]>;
}

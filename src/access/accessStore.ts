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

export interface AccountSnapshot {
  readonly found: Account | undefined;
  readonly accounts: number;
  readonly administrators: number;
}

/** `login` by generateToken, `session` for the console's cookie, `named` for machines. */
export type TokenKind = 'login' | 'session' | 'named';

export interface Binding {
  readonly client: 'referer' | 'ip';
  readonly value: string;
}

export interface Token {
  readonly id: string;
  readonly kind: TokenKind;
  readonly name: string;
  readonly username: string;
  /** Of a named token; the others have the role that their user has at the moment of use. */
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
  /** When the oldest failure that is still counted happened, for the pair and for the address. */
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
    decide: (seen: AccountSnapshot) => Decision<AccountChange>,
  ): Promise<Account | undefined>;

  /** By the hash of its secret; with the role of its user at this moment. */
  token(hash: string): Promise<Token | undefined>;
  tokens(now: number): Promise<readonly Token[]>;
  /** False, and nothing is added, when the password has changed since it was checked. */
  addLoginToken(hash: string, token: Token, checked: Account): Promise<boolean>;
  addNamedToken(hash: string, by: Actor, decide: () => Decision<Token>): Promise<void>;
  removeToken(id: string, by: Actor, decide: (found: Token | undefined) => Decision<'remove'>): Promise<void>;
  /** False for a named token, which only an administrator revokes. */
  endSession(hash: string): Promise<boolean>;
  noteTokensUsed(used: ReadonlyMap<string, number>): Promise<void>;
  /** Removes tokens and failures that no longer matter; bounded work, true when there may be more. */
  prune(now: number, failuresBefore: number): Promise<boolean>;

  loginFailures(account: string, address: string, since: number): Promise<LoginFailures>;
  addLoginFailure(account: string, address: string, at: number, since: number): Promise<LoginFailures>;
  clearLoginFailures(account: string, address: string): Promise<void>;

  audit(query: AuditQuery): Promise<readonly AuditEntry[]>;
}

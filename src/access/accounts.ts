// The verbs on user accounts. Each decides a change under lock and hands it to the store together with its audit note.
// `access.ts` checks passwords and signs people in; `tokens.ts` issues what they sign in with.

import type { Clock } from '../foundation/clock.ts';
import { StewardError, invalidField, noSuchName } from '../foundation/errors.ts';
import type { Actor } from '../model/actor.ts';
import type { GivenValues, NewValues } from '../model/entity/field.ts';
import { changedValues, newValues } from '../model/entity/field.ts';
import { USER } from '../model/entity/user.ts';
import { hasRole, lowerRole } from '../model/actor.ts';
import type { Decision } from '../model/decision.ts';
import { silentDecision } from '../model/decision.ts';
import { refuseWhenClosed } from '../model/mode.ts';
import { lookOf } from '../model/username.ts';
import type { AccessStore, Account, AccountChange, AccountSnapshot, EndedTokens } from './accessStore.ts';
import { refuseGrantByToken } from './grants.ts';
import type { Passwords } from './passwords.ts';

export type AccountView = Omit<Account, 'passwordHash'>;

export interface AccountEdit extends GivenValues<typeof USER> {
  readonly password?: string | undefined;
  /** With a new password: keeps the named tokens of the user. */
  readonly keepTokens?: boolean | undefined;
}

export type NewAccount = NewValues<typeof USER> & { readonly username: string; readonly password: string };

function viewOf(account: Account): AccountView {
  const { passwordHash: _, ...view } = account;
  return view;
}

/** Returns the name as accounts store it: case and Unicode composition make no difference. */
export function normalizeUsername(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

/** The ends of tokens are part of the audit note, because a machine that loses its token looks for the reason there. */
function tokensNote(change: AccountChange, named: AccountSnapshot['namedTokens']): object {
  const takenOver = change.kind === 'remove' ? change.takenOver : [];
  const endsNamed = change.kind === 'put' ? change.ends === 'all' : change.kind !== 'none';
  const ended = named.filter(({ id }) => endsNamed && takenOver.every((token) => token.id !== id));
  return {
    ...(ended.length === 0 ? {} : { endedTokens: ended.map(({ name }) => name) }),
    ...(takenOver.length === 0 ? {} : { tokensTo: takenOver[0]?.username }),
  };
}

function auditedChange(
  action: string,
  { found: before, namedTokens }: Pick<AccountSnapshot, 'found' | 'namedTokens'>,
  change: AccountChange,
): Decision<AccountChange> {
  const after = change.kind === 'put' ? change.account : undefined;
  const target = `user ${(after ?? before)?.username ?? ''}`;
  const passwordChanged = before !== undefined && after !== undefined && before.passwordHash !== after.passwordHash;
  const seen = {
    ...(after === undefined ? {} : viewOf(after)),
    ...(passwordChanged ? { passwordChanged } : {}),
    ...tokensNote(change, namedTokens),
  };
  return silentDecision(change, {
    action,
    target,
    ...(before === undefined ? {} : { before: viewOf(before) }),
    ...(Object.keys(seen).length === 0 ? {} : { after: seen }),
  });
}

function endedBy(edit: Pick<AccountEdit, 'password' | 'keepTokens'>): EndedTokens {
  if (edit.password === undefined) return 'none';
  return edit.keepTokens === true ? 'sessions' : 'all';
}

/** While a job runs, an account is changed only to take access away: by a lower role or another password. */
function refuseGrantInJob(mode: AccountSnapshot['mode'], before: Account, { role, password }: AccountEdit): void {
  const isRaised = role !== undefined && !hasRole(before.role, role);
  const isLowered = role !== undefined && role !== before.role && !isRaised;
  if (isRaised || (!isLowered && password === undefined)) refuseWhenClosed('jobRuns', mode);
}

function requireAccount(found: Account | undefined, username: string): Account {
  if (found !== undefined) return found;
  throw noSuchName('user', username);
}

function refuseSameLook(username: string, usernames: readonly string[]): void {
  const other = usernames.find((one) => one !== username && lookOf(one) === lookOf(username));
  if (other === undefined) return;
  throw new StewardError('conflict', `The name looks like that of the user \`${other}\`. Choose another name.`);
}

function requireHeir(heir: string, username: string, usernames: readonly string[]): void {
  if (heir === username) throw invalidField('tokensTo', `must not be "${heir}", the user who is deleted`);
  if (!usernames.includes(heir)) throw invalidField('tokensTo', `must be an existing user, not "${heir}"`);
}

/** Keeps one administrator, because only an administrator can let others in. */
function refuseLastAdministrator(found: Account, administrators: number): void {
  if (found.role !== 'administrator' || administrators > 1) return;
  throw new StewardError(
    'conflict',
    `\`${found.username}\` is the last administrator. Make another user an administrator first.`,
  );
}

export interface AccountsOptions {
  readonly store: AccessStore;
  readonly clock: Clock;
  /** Hashes a password when it is its turn. */
  readonly hash: Passwords['hash'];
  readonly passwords: Pick<Passwords, 'matches'>;
}

export function createAccounts({ store, clock, hash, passwords }: AccountsOptions) {
  async function add(
    by: Actor,
    { username, password, ...details }: NewAccount,
    isWanted: (snapshot: AccountSnapshot) => boolean,
  ): Promise<Account | undefined> {
    const passwordHash = await hash(password);
    return store.changeAccount(username, by, (snapshot) => {
      if (!isWanted(snapshot)) return silentDecision({ kind: 'none' });
      const now = clock.now();
      const account = { username, ...newValues(USER, details), passwordHash, created: now, modified: now };
      return auditedChange('user.create', snapshot, { kind: 'put', account, ends: 'none' });
    });
  }

  async function put(
    username: string,
    by: Actor,
    action: string,
    edit: AccountEdit,
    createMissing: (now: number, passwordHash: string) => Account,
    check: (snapshot: AccountSnapshot, before: Account) => void = () => undefined,
  ): Promise<AccountView> {
    const passwordHash = edit.password === undefined ? undefined : await hash(edit.password);
    const account = await store.changeAccount(username, by, (snapshot) => {
      const { found, administrators } = snapshot;
      const now = clock.now();
      const before = found ?? createMissing(now, passwordHash ?? '');
      check(snapshot, before);
      const next: Account = {
        ...before,
        ...changedValues(USER, before, edit),
        passwordHash: passwordHash ?? before.passwordHash,
        modified: now,
      };
      if (found !== undefined && next.role !== 'administrator') refuseLastAdministrator(found, administrators);
      return auditedChange(action, snapshot, { kind: 'put', account: next, ends: endedBy(edit) });
    });
    return viewOf(requireAccount(account, username));
  }

  return {
    async list(): Promise<readonly AccountView[]> {
      return (await store.accounts()).map(viewOf);
    },

    async read(username: string): Promise<AccountView> {
      return viewOf(requireAccount(await store.account(username), username));
    },

    async create(by: Actor, account: NewAccount): Promise<AccountView> {
      refuseGrantByToken(by, 'create users');
      const { username } = account;
      const created = await add(by, account, ({ found, usernames, mode }) => {
        refuseWhenClosed('jobRuns', mode);
        refuseSameLook(username, usernames);
        if (found === undefined) return true;
        throw new StewardError('conflict', `A user named \`${username}\` already exists.`);
      });
      return viewOf(requireAccount(created, username));
    },

    async edit(username: string, by: Actor, edit: AccountEdit): Promise<AccountView> {
      if (edit.password !== undefined) refuseGrantByToken(by, 'set passwords');
      if (edit.role !== undefined) refuseGrantByToken(by, 'set roles');
      const missing = (): Account => requireAccount(undefined, username);
      return put(username, by, 'user.edit', edit, missing, ({ mode }, before) => refuseGrantInJob(mode, before, edit));
    },

    /** Makes the user an administrator with this password, and creates the account if it was removed. */
    reset(name: string, by: Actor, password: string, keepTokens: boolean): Promise<AccountView> {
      const username = normalizeUsername(name);
      const role = 'administrator';
      return put(username, by, 'user.reset', { password, role, keepTokens }, (now, passwordHash) => ({
        username,
        ...newValues(USER, { role }),
        passwordHash,
        created: now,
        modified: now,
      }));
    },

    /** Changes the password only if it is still the one that was checked: of two changes at once, the first wins. */
    async changePassword(by: Actor, checked: Account, next: string, keepTokens: boolean): Promise<void> {
      const passwordHash = await hash(next);
      await store.changeAccount(checked.username, by, (snapshot) => {
        const { found } = snapshot;
        if (found?.passwordHash !== checked.passwordHash) {
          throw new StewardError(
            'conflict',
            'The password was changed by another request at the same time. Nothing was changed by this one.',
          );
        }
        const account = { ...found, passwordHash, modified: clock.now() };
        const ends = endedBy({ password: next, keepTokens });
        return auditedChange('user.changePassword', snapshot, { kind: 'put', account, ends });
      });
    },

    /** Deletes a user. The named tokens end with it, unless the user `tokensTo` takes them over. */
    async remove(username: string, by: Actor, tokensTo?: string): Promise<void> {
      // It could outlive its creator in this way.
      if (tokensTo !== undefined) refuseGrantByToken(by, 'give tokens to another user');
      await store.changeAccount(username, by, (snapshot) => {
        const { administrators, usernames, namedTokens } = snapshot;
        const found = requireAccount(snapshot.found, username);
        refuseLastAdministrator(found, administrators);
        if (tokensTo !== undefined) requireHeir(tokensTo, username, usernames);
        // Taken over with the rights that they have now, so that a takeover grants nothing.
        const takenOver =
          tokensTo === undefined
            ? []
            : namedTokens.map(({ id, role }) => ({ id, username: tokensTo, role: lowerRole(role, found.role) }));
        return auditedChange('user.delete', snapshot, { kind: 'remove', takenOver });
      });
    },

    /** Ends all sessions and all tokens of a user, the named ones too. */
    async revokeAll(username: string, by: Actor): Promise<void> {
      await store.changeAccount(username, by, (snapshot) => {
        requireAccount(snapshot.found, username);
        return auditedChange('user.revokeAll', snapshot, { kind: 'endTokens' });
      });
    },

    async passwordMatches(username: string, password: string): Promise<boolean> {
      return passwords.matches(password, (await store.account(username))?.passwordHash);
    },

    async any(): Promise<boolean> {
      return (await store.accounts()).length > 0;
    },

    /** Creates the first administrator. Returns false if there is an account already, made by another replica perhaps. */
    async createFirst(by: Actor, username: string, password: string): Promise<boolean> {
      let isFirst = false;
      const account = { username, fullName: 'First administrator', role: 'administrator', password } as const;
      await add(by, account, ({ usernames }) => (isFirst = usernames.length === 0));
      return isFirst;
    },
  };
}

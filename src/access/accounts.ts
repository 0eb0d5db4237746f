// The verbs on user accounts. Each decides a change under lock and hands it to the store together with its audit note.
// `access.ts` checks passwords and signs people in; `tokens.ts` issues what they sign in with.

import type { Clock } from '../foundation/clock.ts';
import { StewardError } from '../foundation/errors.ts';
import type { Actor, Role } from '../model/actor.ts';
import type { Decision } from '../model/decision.ts';
import { silentDecision } from '../model/decision.ts';
import type { AccessStore, Account, AccountChange, AccountSnapshot } from './accessStore.ts';
import type { Passwords } from './passwords.ts';

export type AccountView = Omit<Account, 'passwordHash'>;

export interface AccountEdit {
  readonly fullName?: string | undefined;
  readonly role?: Role | undefined;
  readonly password?: string | undefined;
}

export interface NewAccount extends Pick<Account, 'username' | 'fullName' | 'role'> {
  readonly password: string;
}

function viewOf(account: Account): AccountView {
  const { passwordHash: _, ...view } = account;
  return view;
}

/** Returns the name as accounts store it: case and Unicode composition make no difference. */
export function normalizeUsername(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

function auditedChange(action: string, before: Account | undefined, change: AccountChange): Decision<AccountChange> {
  const after = change.kind === 'put' ? change.account : undefined;
  const target = `user ${(after ?? before)?.username ?? ''}`;
  const passwordChanged = before !== undefined && after !== undefined && before.passwordHash !== after.passwordHash;
  return silentDecision(change, {
    action,
    target,
    ...(before === undefined ? {} : { before: viewOf(before) }),
    ...(after === undefined ? {} : { after: { ...viewOf(after), ...(passwordChanged ? { passwordChanged } : {}) } }),
  });
}

function requireAccount(found: Account | undefined, username: string): Account {
  if (found !== undefined) return found;
  throw new StewardError('notFound', `There is no user ${username}.`);
}

/** Keeps one administrator, because only an administrator can let others in. */
function refuseLastAdministrator(found: Account, administrators: number): void {
  if (found.role !== 'administrator' || administrators > 1) return;
  throw new StewardError('conflict', `${found.username} is the last administrator. Make another one first.`);
}

export interface AccountsOptions {
  readonly store: AccessStore;
  readonly clock: Clock;
  readonly passwords: Passwords;
}

export function createAccounts({ store, clock, passwords }: AccountsOptions) {
  async function add(
    by: Actor,
    { username, fullName, role, password }: NewAccount,
    isWanted: (snapshot: AccountSnapshot) => boolean,
  ): Promise<Account | undefined> {
    const passwordHash = await passwords.hash(password);
    return store.changeAccount(username, by, (snapshot) => {
      if (!isWanted(snapshot)) return silentDecision({ kind: 'none' });
      const now = clock.now();
      const account = { username, fullName, role, passwordHash, created: now, modified: now };
      return auditedChange('user.create', undefined, { kind: 'put', account, endSessions: false });
    });
  }

  async function put(
    username: string,
    by: Actor,
    action: string,
    edit: AccountEdit,
    createMissing: (now: number, passwordHash: string) => Account,
  ): Promise<AccountView> {
    const passwordHash = edit.password === undefined ? undefined : await passwords.hash(edit.password);
    const account = await store.changeAccount(username, by, ({ found, administrators }) => {
      const now = clock.now();
      const before = found ?? createMissing(now, passwordHash ?? '');
      const next: Account = {
        ...before,
        fullName: edit.fullName ?? before.fullName,
        role: edit.role ?? before.role,
        passwordHash: passwordHash ?? before.passwordHash,
        modified: now,
      };
      if (found !== undefined && next.role !== 'administrator') refuseLastAdministrator(found, administrators);
      return auditedChange(action, found, { kind: 'put', account: next, endSessions: passwordHash !== undefined });
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
      const { username } = account;
      const created = await add(by, account, ({ found }) => {
        if (found === undefined) return true;
        throw new StewardError('conflict', `There is a user ${username} already.`);
      });
      return viewOf(requireAccount(created, username));
    },

    edit(username: string, by: Actor, edit: AccountEdit): Promise<AccountView> {
      return put(username, by, 'user.edit', edit, () => requireAccount(undefined, username));
    },

    /** Makes the user an administrator with this password, and creates the account if it was removed. */
    reset(name: string, by: Actor, password: string): Promise<AccountView> {
      const username = normalizeUsername(name);
      const role = 'administrator';
      return put(username, by, 'user.reset', { password, role }, (now, passwordHash) => ({
        username,
        fullName: '',
        role,
        passwordHash,
        created: now,
        modified: now,
      }));
    },

    /** Changes the password only if it is still the one that was checked: of two changes at once, the first wins. */
    async changePassword(by: Actor, checked: Account, next: string): Promise<void> {
      const passwordHash = await passwords.hash(next);
      await store.changeAccount(checked.username, by, ({ found }) => {
        if (found?.passwordHash !== checked.passwordHash) {
          throw new StewardError('conflict', 'The password was changed by somebody else meanwhile.');
        }
        const account = { ...found, passwordHash, modified: clock.now() };
        return auditedChange('user.changePassword', found, { kind: 'put', account, endSessions: true });
      });
    },

    async remove(username: string, by: Actor): Promise<void> {
      await store.changeAccount(username, by, ({ found, administrators }) => {
        refuseLastAdministrator(requireAccount(found, username), administrators);
        return auditedChange('user.delete', found, { kind: 'remove' });
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
      await add(by, account, ({ accounts }) => (isFirst = accounts === 0));
      return isFirst;
    },
  };
}

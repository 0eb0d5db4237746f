import type { Actor, Role } from '../model/actor.ts';
import type { Clock } from '../foundation/clock.ts';
import type { Decision } from '../model/decision.ts';
import { StewardError } from '../foundation/errors.ts';
import type { AccessStore, Account, AccountChange } from './accessStore.ts';
import type { Passwords } from './passwords.ts';

export type AccountView = Omit<Account, 'passwordHash'>;

export interface AccountEdit {
  readonly fullName?: string | undefined;
  readonly role?: Role | undefined;
  readonly password?: string | undefined;
}

function viewOf(account: Account): AccountView {
  const { passwordHash: _, ...view } = account;
  return view;
}

/** The name as accounts have it: case and composition make no difference. */
export function normalizeUsername(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

function auditedChange(action: string, before: Account | undefined, change: AccountChange): Decision<AccountChange> {
  const after = change.kind === 'put' ? change.account : undefined;
  const target = `user ${(after ?? before)?.username ?? ''}`;
  const passwordChanged = before !== undefined && after !== undefined && before.passwordHash !== after.passwordHash;
  return {
    change,
    announce: [],
    audit: [
      {
        action,
        target,
        ...(before === undefined ? {} : { before: viewOf(before) }),
        ...(after === undefined
          ? {}
          : { after: { ...viewOf(after), ...(passwordChanged ? { passwordChanged } : {}) } }),
      },
    ],
  };
}

function requireAccount(found: Account | undefined, username: string): Account {
  if (found !== undefined) return found;
  throw new StewardError('notFound', `There is no user ${username}.`);
}

/** Somebody must be able to let the others in again. */
function refuseLastAdministrator(found: Account, administrators: number): void {
  if (found.role !== 'administrator' || administrators > 1) return;
  throw new StewardError('conflict', `${found.username} is the last administrator. Make another one first.`);
}

export function createAccounts(needs: {
  readonly store: AccessStore;
  readonly clock: Clock;
  readonly passwords: Passwords;
}) {
  const { store, clock, passwords } = needs;

  async function put(
    username: string,
    by: Actor,
    action: string,
    edit: AccountEdit,
    whenMissing: (now: number, passwordHash: string) => Account,
  ): Promise<AccountView> {
    const passwordHash = edit.password === undefined ? undefined : await passwords.hash(edit.password);
    const account = await store.changeAccount(username, by, ({ found, administrators }) => {
      const now = clock.now();
      const before = found ?? whenMissing(now, passwordHash ?? '');
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

    async create(
      by: Actor,
      wanted: { readonly username: string; readonly fullName: string; readonly role: Role; readonly password: string },
    ): Promise<AccountView> {
      const { username, fullName, role } = wanted;
      const passwordHash = await passwords.hash(wanted.password);
      const account = await store.changeAccount(username, by, ({ found }) => {
        if (found !== undefined) throw new StewardError('conflict', `There is a user ${username} already.`);
        const now = clock.now();
        const created: Account = { username, fullName, role, passwordHash, created: now, modified: now };
        return auditedChange('user.create', undefined, { kind: 'put', account: created, endSessions: false });
      });
      return viewOf(requireAccount(account, username));
    },

    edit(username: string, by: Actor, edit: AccountEdit): Promise<AccountView> {
      return put(username, by, 'user.edit', edit, () => requireAccount(undefined, username));
    },

    /** For someone who lost the last password: works on an account that is gone, too. */
    reset(name: string, by: Actor, password: string): Promise<AccountView> {
      const username = normalizeUsername(name);
      return put(username, by, 'user.reset', { password, role: 'administrator' }, (now, passwordHash) => ({
        username,
        fullName: '',
        role: 'administrator',
        passwordHash,
        created: now,
        modified: now,
      }));
    },

    /** Only if the password is still the one that was checked: whoever was first has the last word. */
    async changePassword(by: Actor, checked: Account, next: string): Promise<void> {
      const { username } = checked;
      const passwordHash = await passwords.hash(next);
      await store.changeAccount(username, by, ({ found }) => {
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

    /** False when another replica was first. */
    async createFirst(by: Actor, username: string, password: string): Promise<boolean> {
      const passwordHash = await passwords.hash(password);
      let isFirst = false;
      await store.changeAccount(username, by, ({ accounts }) => {
        isFirst = accounts === 0;
        if (!isFirst) return { change: { kind: 'none' }, announce: [], audit: [] };
        const now = clock.now();
        const account: Account = {
          username,
          fullName: 'First administrator',
          role: 'administrator',
          passwordHash,
          created: now,
          modified: now,
        };
        return auditedChange('user.create', undefined, { kind: 'put', account, endSessions: false });
      });
      return isFirst;
    },
  };
}

import type { AccessStore, Account } from '../access/accessStore.ts';
import type { Role } from '../foundation/actor.ts';
import type { ChangeNeeds } from './change.ts';
import { change, tell } from './change.ts';
import type { Row, Script } from './script.ts';
import { integer, rows, text } from './script.ts';

function accountOf(found: Row): Account {
  return {
    username: text(found, 'username'),
    fullName: text(found, 'full_name'),
    role: text(found, 'role') as Role,
    passwordHash: text(found, 'password_hash'),
    created: integer(found, 'created_at'),
    modified: integer(found, 'modified_at'),
  };
}

function* putAccount(account: Account): Script<void> {
  const { username, fullName, role, passwordHash, created, modified } = account;
  yield* rows(
    `insert into account (username, full_name, role, password_hash, created_at, modified_at) values ($1, $2, $3, $4, $5, $6)
     on conflict (username) do update set full_name = excluded.full_name, role = excluded.role,
       password_hash = excluded.password_hash, modified_at = excluded.modified_at`,
    username,
    fullName,
    role,
    passwordHash,
    created,
    modified,
  );
}

function* endSessions(username: string): Script<void> {
  yield* rows(`delete from token where username = $1 and kind <> 'named'`, username);
}

export function accountTables(needs: ChangeNeeds): Pick<AccessStore, 'account' | 'accounts' | 'changeAccount'> {
  const { engine, clock } = needs;
  const { forUpdate } = engine.dialect;
  return {
    async account(username) {
      const [found] = await engine.query('select * from account where username = $1', username);
      return found === undefined ? undefined : accountOf(found);
    },

    async accounts() {
      return (await engine.query('select * from account order by username')).map(accountOf);
    },

    changeAccount: (username, by, decide) =>
      change(needs, { closedBy: 'upkeep', topic: 'access' }, function* () {
        // All of them, in one order: two administrators who remove each other must not both succeed.
        const all = (yield* rows(`select * from account order by username${forUpdate}`)).map(accountOf);
        const found = all.find((account) => account.username === username);
        const administrators = all.filter(({ role }) => role === 'administrator').length;
        const decision = decide({ found, accounts: all.length, administrators });
        if (decision.change.kind === 'put') yield* putAccount(decision.change.account);
        if (decision.change.kind === 'remove') yield* rows('delete from account where username = $1', username);
        if (decision.change.kind === 'remove' || (decision.change.kind === 'put' && decision.change.endSessions)) {
          yield* endSessions(username);
        }
        yield* tell(by, clock.now(), decision);
        return decision.change.kind === 'put' ? decision.change.account : undefined;
      }),
  };
}

import type { AccessStore, Account } from '../../access/accessStore.ts';
import type { Role } from '../../model/actor.ts';
import type { TableDependencies } from '../transaction.ts';
import { transaction, recordDecision } from '../transaction.ts';
import type { Row, Script } from '../engine/script.ts';
import { integer, rows, text } from '../engine/script.ts';

/** Columns are named everywhere: a prepared `select *` fails as soon as a migration adds one. */
const ACCOUNT = 'username, full_name, role, password_hash, created_at, modified_at';

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

/** As with services: an insert that meets another of the same name fails, and the whole is decided again. */
function* putAccount(account: Account, isNew: boolean): Script<void> {
  const { username, fullName, role, passwordHash, created, modified } = account;
  const values = [username, fullName, role, passwordHash, modified];
  if (isNew) {
    yield* rows(
      `insert into account (username, full_name, role, password_hash, modified_at, created_at) values ($1, $2, $3, $4, $5, $6)`,
      ...values,
      created,
    );
  } else {
    yield* rows(
      'update account set full_name = $2, role = $3, password_hash = $4, modified_at = $5 where username = $1',
      ...values,
    );
  }
}

function* endSessions(username: string): Script<void> {
  yield* rows(`delete from token where username = $1 and kind <> 'named'`, username);
}

export function accountMethods(needs: TableDependencies): Pick<AccessStore, 'account' | 'accounts' | 'changeAccount'> {
  const { engine, clock } = needs;
  const { forUpdate } = engine.dialect;
  return {
    async account(username) {
      const [found] = await engine.query(`select ${ACCOUNT} from account where username = $1`, username);
      return found === undefined ? undefined : accountOf(found);
    },

    async accounts() {
      return (await engine.query(`select ${ACCOUNT} from account order by username`)).map(accountOf);
    },

    changeAccount: (username, by, decide) =>
      transaction(needs, { closedWhen: 'jobRuns' }, function* (raise) {
        // All of them, in one order: two administrators who remove each other must not both succeed.
        const all = (yield* rows(`select ${ACCOUNT} from account order by username${forUpdate}`)).map(accountOf);
        const found = all.find((account) => account.username === username);
        const administrators = all.filter(({ role }) => role === 'administrator').length;
        const decision = decide({ found, accounts: all.length, administrators });
        if (decision.change.kind === 'put') yield* putAccount(decision.change.account, found === undefined);
        if (decision.change.kind === 'remove') yield* rows('delete from account where username = $1', username);
        if (decision.change.kind === 'remove' || (decision.change.kind === 'put' && decision.change.endSessions)) {
          yield* endSessions(username);
        }
        if (decision.change.kind !== 'none') yield* raise('access');
        yield* recordDecision(by, clock.now(), decision);
        return decision.change.kind === 'put' ? decision.change.account : undefined;
      }),
  };
}

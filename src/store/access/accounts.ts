import type { AccessStore } from '../../access/accessStore.ts';
import { ROLES } from '../../model/actor.ts';
import { integer, oneOf, text } from '../engine/codec.ts';
import { rows } from '../engine/script.ts';
import { table } from '../engine/table.ts';
import type { TableDependencies } from '../transaction.ts';
import { recordDecision, transaction } from '../transaction.ts';

const accounts = table('account', {
  username: text('username'),
  fullName: text('full_name'),
  role: oneOf('role', ROLES),
  passwordHash: text('password_hash'),
  created: integer('created_at'),
  modified: integer('modified_at'),
});
const updateAccount = accounts.updater(['username']);

export function accountMethods(dependencies: TableDependencies) {
  const { engine, clock } = dependencies;
  const { forUpdate } = engine.dialect;
  return {
    account: (username) => engine.read(accounts.first(`${accounts.select} where username = $1`, username)),

    accounts: () => engine.read(accounts.all(`${accounts.select} order by username`)),

    changeAccount: (username, by, decide) =>
      transaction(dependencies, { closedWhen: 'jobRuns' }, function* (raise) {
        // Locks all accounts, in one order: of two administrators who remove each other, only one may succeed.
        const all = yield* accounts.all(`${accounts.select} order by username${forUpdate}`);
        const found = all.find((account) => account.username === username);
        const administrators = all.filter(({ role }) => role === 'administrator').length;
        const decision = decide({ found, accounts: all.length, administrators });
        const { change } = decision;
        // If another replica inserts the same account first, the insert fails and the engine runs the script again.
        if (change.kind === 'put')
          yield* found === undefined ? accounts.insert(change.account) : updateAccount(change.account);
        if (change.kind === 'remove') yield* rows('delete from account where username = $1', username);
        if (change.kind === 'remove' || (change.kind === 'put' && change.endSessions))
          yield* rows(`delete from token where username = $1 and kind <> 'named'`, username);
        if (change.kind !== 'none') yield* raise('access');
        yield* recordDecision(by, clock.now(), decision);
        return change.kind === 'put' ? change.account : undefined;
      }),
  } satisfies Partial<AccessStore>;
}

// Implements the port of the access area: accounts and login failures here, tokens in `tokens.ts`, the audit log in `auditLog.ts`.
import type { AccessStore, FailureSummary } from '../../access/accessStore.ts';
import { silentDecision } from '../../model/decision.ts';
import { codec, integer, json, optional, text } from '../engine/codec.ts';
import { numbers, rows } from '../engine/script.ts';
import { table } from '../engine/table.ts';
import type { TableDependencies } from '../transaction.ts';
import { readMode, recordDecision, transaction } from '../transaction.ts';
import { accounts } from './accountTable.ts';
import { auditMethods } from './auditLog.ts';
import { changeTokens, namedTokensOf, tokenMethods } from './tokens.ts';

const PRUNED_AT_ONCE = 500;
const MOST_NETWORKS = 100;

const updateAccount = accounts.updater(['username']);

const failures = table('login_failure', { account: text('account'), address: text('address'), at: integer('at') });
const addresses = table('login_address', { address: text('address'), at: integer('at') });
const putAddress = addresses.upserter('address');

const counts = codec({
  ofPair: integer('of_pair'),
  ofAddress: integer('of_address'),
  oldestOfPair: integer('oldest_of_pair'),
  oldestOfAddress: integer('oldest_of_address'),
});
const COUNTS = `select count(*) as of_address, coalesce(min(at), 0) as oldest_of_address,
    coalesce(sum(case when account = $2 then 1 else 0 end), 0) as of_pair,
    coalesce(min(case when account = $2 then at end), 0) as oldest_of_pair
  from login_failure where address = $1 and at > $3`;

const NETWORKS = `select count(*) as n from (
    select distinct address from login_failure where account = $1 and at > $2 limit ${MOST_NETWORKS}) as networks`;

const summaries = table('audit', { id: integer('id'), after: optional(json<FailureSummary>('after_state')) });
const updateSummary = summaries.updater(['id']);

function deleteSome(from: string, key: string, time: string): string {
  return `delete from ${from} where ${key} in (select ${key} from ${from} where ${time} < $1 limit ${PRUNED_AT_ONCE}) returning ${key}`;
}

export function createAccessStore(dependencies: TableDependencies): AccessStore {
  const { engine, clock } = dependencies;
  const { forUpdate } = engine.dialect;
  return {
    ...tokenMethods(dependencies),
    ...auditMethods(dependencies),

    account: (username) => engine.read(accounts.first(`${accounts.select} where username = $1`, username)),

    accounts: () => engine.read(accounts.all(`${accounts.select} order by username`)),

    changeAccount: (username, by, decide) =>
      // Open in every mode: the rule is given the mode, and refuses what grants access during a job.
      transaction(dependencies, { closedWhen: 'never' }, function* (raise) {
        // Locks all accounts, in one order: of two administrators who remove each other, only one may succeed.
        const all = yield* accounts.all(`${accounts.select} order by username${forUpdate}`);
        const found = all.find((account) => account.username === username);
        const administrators = all.filter(({ role }) => role === 'administrator').length;
        const [namedTokens, mode] = [yield* namedTokensOf(username), yield* readMode()];
        const usernames = all.map((account) => account.username);
        const decision = decide({ found, namedTokens, usernames, administrators, mode });
        const { change } = decision;
        // If another replica inserts the same account first, the insert fails and the engine runs the script again.
        if (change.kind === 'put')
          yield* found === undefined ? accounts.insert(change.account) : updateAccount(change.account);
        yield* changeTokens(username, change);
        if (change.kind === 'remove') yield* rows('delete from account where username = $1', username);
        if (change.kind !== 'none') yield* raise('access');
        yield* recordDecision(by, clock.now(), decision);
        return change.kind === 'put' ? change.account : undefined;
      }),

    loginFailures: (account, address, since) => engine.read(counts.only(COUNTS, address, account, since)),

    addLoginFailure: ({ account, network, at, since }, by, audit) =>
      transaction(dependencies, { closedWhen: 'never' }, function* () {
        // Locks the network, so that simultaneous failures are counted one after the other.
        yield* putAddress({ address: network, at });
        yield* failures.insert({ account, address: network, at });
        const ENTRY = `${summaries.select} where target = $1 and action = $2 and at > $3 order by id desc limit 1${forUpdate}`;
        const found = yield* summaries.first(ENTRY, audit.target, audit.action, since);
        const after = audit.add(found?.after);
        if (found === undefined) {
          const note = { action: audit.action, target: audit.target, after };
          yield* recordDecision(by, at, silentDecision(undefined, note));
        } else yield* updateSummary({ id: found.id, after });
        const [networks = 0] = yield* numbers(NETWORKS, account, since);
        return { ...(yield* counts.only(COUNTS, network, account, since)), networks };
      }),

    clearLoginFailures: (account, address) =>
      transaction(dependencies, { closedWhen: 'never' }, function* () {
        yield* rows('delete from login_failure where account = $1 and address = $2', account, address);
      }),

    prune: (now, failuresBefore) =>
      transaction(dependencies, { closedWhen: 'never' }, function* () {
        const pruned = [
          yield* rows(deleteSome('token', 'hash', 'expires_at'), now),
          yield* rows(deleteSome('login_failure', 'id', 'at'), failuresBefore),
          yield* rows(deleteSome('login_address', 'address', 'at'), failuresBefore),
        ];
        return pruned.some(({ length }) => length === PRUNED_AT_ONCE);
      }),
  };
}

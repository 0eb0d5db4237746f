// Tokens: sign-in tokens and sessions of people, and named tokens of machines. Only the hash of a secret is stored.
import type { AccessStore, AccountChange, Token } from '../../access/accessStore.ts';
import { ROLES } from '../../model/actor.ts';
import { NAMED_TOKEN } from '../../model/entity/namedToken.ts';
import { columnsOf } from '../engine/entityColumns.ts';
import { codec, integer, oneOf, optional, text } from '../engine/codec.ts';
import type { Script } from '../engine/script.ts';
import { row, rows } from '../engine/script.ts';
import { table } from '../engine/table.ts';
import type { TableDependencies } from '../transaction.ts';
import { recordDecision, transaction } from '../transaction.ts';
import { accounts } from './accountTable.ts';

/** The role comes after the user, because the audit log shows tokens in the order of their columns. */
const { role, ...details } = columnsOf(NAMED_TOKEN);

const tokens = table('token', {
  id: text('id'),
  kind: oneOf('kind', ['login', 'session', 'named']),
  ...details,
  username: text('username'),
  role,
  onlyService: optional(text('only_service')),
  binding: optional(codec({ client: oneOf('binding_client', ['referer', 'ip']), value: text('binding_value') })),
  created: integer('created_at'),
  expires: integer('expires_at'),
  lastUsed: optional(integer('last_used_at')),
});
const hashedTokens = tokens.with({ hash: text('hash') });
const ownedTokens = tokens.with({ userRole: oneOf('user_role', ROLES) });

/** A token without its user is not found, so no token can outlive its user. */
const TOKEN = `select ${tokens.list('token')}, account.role as user_role
  from token join account on account.username = token.username`;

const handOver = tokens.updater(['id'], ['username', 'role']);

/** The named tokens that a user has created. */
export function namedTokensOf(username: string): Script<readonly Token[]> {
  return ownedTokens.all(`${TOKEN} where token.username = $1 and token.kind = 'named' order by token.id`, username);
}

/** Ends or hands over the tokens of a changed account, in the transaction of the change. */
export function* changeTokens(username: string, change: AccountChange): Script<void> {
  if (change.kind === 'remove') for (const token of change.takenOver) yield* handOver(token);
  const ends = change.kind === 'none' ? 'none' : change.kind === 'put' ? change.ends : 'all';
  if (ends === 'all') yield* rows('delete from token where username = $1', username);
  if (ends === 'sessions') yield* rows(`delete from token where username = $1 and kind <> 'named'`, username);
}

export function tokenMethods(dependencies: TableDependencies) {
  const { engine, clock } = dependencies;
  const { forUpdate } = engine.dialect;
  return {
    token: (hash) => engine.read(ownedTokens.first(`${TOKEN} where token.hash = $1`, hash)),

    tokens: (now) =>
      engine.read(ownedTokens.all(`${TOKEN} where token.expires_at > $1 order by token.created_at, token.id`, now)),

    addLoginToken: (hash, token, checked) =>
      transaction(dependencies, { closedWhen: 'never' }, function* () {
        const unchanged = yield* row(
          `select 1 as yes from account where username = $1 and password_hash = $2${forUpdate}`,
          checked.username,
          checked.passwordHash,
        );
        if (unchanged === undefined) return false;
        yield* hashedTokens.insert({ ...token, hash });
        return true;
      }),

    addExchangedToken: (hash, token, of) =>
      transaction(dependencies, { closedWhen: 'never' }, function* () {
        if ((yield* row(`select 1 as yes from token where id = $1${forUpdate}`, of)) === undefined) return false;
        yield* hashedTokens.insert({ ...token, hash });
        return true;
      }),

    addNamedToken: (hash, by, decide) =>
      transaction(dependencies, { closedWhen: 'jobRuns' }, function* () {
        // Locks the creator, so that a token cannot be added to an account that is deleted at the same time.
        const decision = decide(yield* accounts.first(`${accounts.select} where username = $1${forUpdate}`, by.name));
        yield* hashedTokens.insert({ ...decision.change, hash });
        yield* recordDecision(by, clock.now(), decision);
      }),

    removeToken: (id, by, decide) =>
      transaction(dependencies, { closedWhen: 'never' }, function* (raise) {
        yield* rows(`select 1 as yes from token where id = $1${forUpdate}`, id);
        const decision = decide(yield* ownedTokens.first(`${TOKEN} where token.id = $1`, id));
        yield* rows('delete from token where id = $1', id);
        yield* raise('access');
        yield* recordDecision(by, clock.now(), decision);
      }),

    endSession: (hash) =>
      transaction(dependencies, { closedWhen: 'never' }, function* (raise) {
        const ended = yield* row(`delete from token where hash = $1 and kind <> 'named' returning id`, hash);
        if (ended !== undefined) yield* raise('access');
        return ended !== undefined;
      }),

    noteTokensUsed: (used) =>
      transaction(dependencies, { closedWhen: 'never' }, function* () {
        // Sorted, so that two replicas that write about the same tokens do not wait for each other.
        for (const [id, at] of [...used].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
          yield* rows('update token set last_used_at = $2 where id = $1 and coalesce(last_used_at, 0) < $2', id, at);
        }
      }),
  } satisfies Partial<AccessStore>;
}

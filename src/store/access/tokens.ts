import type { AccessStore, Binding, Token, TokenKind } from '../../access/accessStore.ts';
import type { Role } from '../../model/actor.ts';
import type { TableDependencies } from '../transaction.ts';
import { transaction, recordDecision } from '../transaction.ts';
import type { Row, Script } from '../engine/script.ts';
import { integer, optionalInteger, optionalText, row, rows, text } from '../engine/script.ts';

function bindingOf(found: Row): Binding | undefined {
  const client = optionalText(found, 'binding_client');
  return client === undefined
    ? undefined
    : { client: client as Binding['client'], value: text(found, 'binding_value') };
}

function tokenOf(found: Row): Token {
  return {
    id: text(found, 'id'),
    kind: text(found, 'kind') as TokenKind,
    name: text(found, 'name'),
    username: text(found, 'username'),
    role: text(found, 'role') as Role,
    onlyService: optionalText(found, 'only_service'),
    binding: bindingOf(found),
    created: integer(found, 'created_at'),
    expires: integer(found, 'expires_at'),
    lastUsed: optionalInteger(found, 'last_used_at'),
  };
}

/** A token of a person has the role that the person has now. */
const TOKEN = `select token.id, token.kind, token.name, token.username, coalesce(account.role, token.role) as role,
    token.only_service, token.binding_client, token.binding_value, token.created_at, token.expires_at, token.last_used_at
  from token left join account on account.username = token.username and token.kind <> 'named'`;

function* insertToken(hash: string, token: Token): Script<void> {
  const { id, kind, name, username, role, onlyService, binding, created, expires } = token;
  const values = [
    hash,
    id,
    kind,
    name,
    username,
    role,
    onlyService ?? null,
    binding?.client ?? null,
    binding?.value ?? null,
  ];
  yield* rows(
    `insert into token (hash, id, kind, name, username, role, only_service, binding_client, binding_value, created_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    ...values,
    created,
    expires,
  );
}

type TokenMethods =
  | 'token'
  | 'tokens'
  | 'addLoginToken'
  | 'addNamedToken'
  | 'removeToken'
  | 'endSession'
  | 'noteTokensUsed';

export function tokenMethods(needs: TableDependencies): Pick<AccessStore, TokenMethods> {
  const { engine, clock } = needs;
  const { forUpdate } = engine.dialect;
  return {
    async token(hash) {
      const [found] = await engine.query(`${TOKEN} where token.hash = $1`, hash);
      return found === undefined ? undefined : tokenOf(found);
    },

    async tokens(now) {
      return (await engine.query(`${TOKEN} where token.expires_at > $1 order by token.created_at, token.id`, now)).map(
        tokenOf,
      );
    },

    addLoginToken: (hash, token, checked) =>
      transaction(needs, { closedWhen: 'never' }, function* () {
        const unchanged = yield* row(
          `select 1 as yes from account where username = $1 and password_hash = $2${forUpdate}`,
          checked.username,
          checked.passwordHash,
        );
        if (unchanged === undefined) return false;
        yield* insertToken(hash, token);
        return true;
      }),

    addNamedToken: (hash, by, decide) =>
      transaction(needs, { closedWhen: 'never' }, function* () {
        const decision = decide();
        yield* insertToken(hash, decision.change);
        yield* recordDecision(by, clock.now(), decision);
      }),

    removeToken: (id, by, decide) =>
      transaction(needs, { closedWhen: 'never' }, function* (raise) {
        yield* rows(`select 1 as yes from token where id = $1${forUpdate}`, id);
        const found = yield* row(`${TOKEN} where token.id = $1`, id);
        const decision = decide(found === undefined ? undefined : tokenOf(found));
        yield* rows('delete from token where id = $1', id);
        yield* raise('access');
        yield* recordDecision(by, clock.now(), decision);
      }),

    endSession: (hash) =>
      transaction(needs, { closedWhen: 'never' }, function* (raise) {
        const ended = yield* row(`delete from token where hash = $1 and kind <> 'named' returning id`, hash);
        if (ended !== undefined) yield* raise('access');
        return ended !== undefined;
      }),

    noteTokensUsed: (used) =>
      transaction(needs, { closedWhen: 'never' }, function* () {
        // In one order, because two replicas may note the same tokens at once.
        for (const [id, at] of [...used].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
          yield* rows('update token set last_used_at = $2 where id = $1 and coalesce(last_used_at, 0) < $2', id, at);
        }
      }),
  };
}

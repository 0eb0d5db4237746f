import type { AccessStore, LoginFailures } from '../../access/accessStore.ts';
import type { TableDependencies } from '../transaction.ts';
import { transaction } from '../transaction.ts';
import type { Row } from '../engine/script.ts';
import { integer, row, rows } from '../engine/script.ts';

const FAILURES = `select count(*) as of_address, coalesce(min(at), 0) as oldest_of_address,
    coalesce(sum(case when account = $2 then 1 else 0 end), 0) as of_pair,
    coalesce(min(case when account = $2 then at end), 0) as oldest_of_pair
  from login_failure where address = $1 and at > $3`;

function failuresOf(found: Row | undefined): LoginFailures {
  if (found === undefined) throw new Error('an aggregate without a row');
  return {
    ofPair: integer(found, 'of_pair'),
    ofAddress: integer(found, 'of_address'),
    oldestOfPair: integer(found, 'oldest_of_pair'),
    oldestOfAddress: integer(found, 'oldest_of_address'),
  };
}

export function loginFailureMethods(
  needs: TableDependencies,
): Pick<AccessStore, 'loginFailures' | 'addLoginFailure' | 'clearLoginFailures'> {
  const { engine } = needs;
  return {
    async loginFailures(account, address, since) {
      return failuresOf((await engine.query(FAILURES, address, account, since))[0]);
    },

    addLoginFailure: (account, address, at, since) =>
      transaction(needs, { closedWhen: 'never' }, function* () {
        // Holds the address, so that failures that come together are counted one after the other.
        yield* rows(
          'insert into login_address (address, at) values ($1, $2) on conflict (address) do update set at = excluded.at',
          address,
          at,
        );
        yield* rows('insert into login_failure (account, address, at) values ($1, $2, $3)', account, address, at);
        return failuresOf(yield* row(FAILURES, address, account, since));
      }),

    clearLoginFailures: (account, address) =>
      transaction(needs, { closedWhen: 'never' }, function* () {
        yield* rows('delete from login_failure where account = $1 and address = $2', account, address);
      }),
  };
}

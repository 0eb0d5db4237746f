import type { AccessStore } from '../../access/accessStore.ts';
import { codec, integer, text } from '../engine/codec.ts';
import { rows } from '../engine/script.ts';
import { table } from '../engine/table.ts';
import type { TableDependencies } from '../transaction.ts';
import { transaction } from '../transaction.ts';

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

export function loginFailureMethods(dependencies: TableDependencies) {
  const { engine } = dependencies;
  return {
    loginFailures: (account, address, since) => engine.read(counts.only(COUNTS, address, account, since)),

    addLoginFailure: (account, address, at, since) =>
      transaction(dependencies, { closedWhen: 'never' }, function* () {
        // Locks the address, so that simultaneous failures are counted one after the other.
        yield* putAddress({ address, at });
        yield* failures.insert({ account, address, at });
        return yield* counts.only(COUNTS, address, account, since);
      }),

    clearLoginFailures: (account, address) =>
      transaction(dependencies, { closedWhen: 'never' }, function* () {
        yield* rows('delete from login_failure where account = $1 and address = $2', account, address);
      }),
  } satisfies Partial<AccessStore>;
}

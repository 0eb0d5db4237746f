import type { AccessStore } from '../../access/accessStore.ts';
import { integer } from '../engine/codec.ts';
import { rows } from '../engine/script.ts';
import type { TableDependencies } from '../transaction.ts';
import { auditNotes, transaction } from '../transaction.ts';
import { accountMethods } from './accounts.ts';
import { loginFailureMethods } from './loginFailures.ts';
import { tokenMethods } from './tokens.ts';

const PRUNED_AT_ONCE = 500;

const auditEntries = auditNotes.with({ id: integer('id') });

/** Implements the port of the access area. */
export function createAccessStore(dependencies: TableDependencies): AccessStore {
  const { engine } = dependencies;
  return {
    ...accountMethods(dependencies),
    ...tokenMethods(dependencies),
    ...loginFailureMethods(dependencies),

    prune: (now, failuresBefore) =>
      transaction(dependencies, { closedWhen: 'never' }, function* () {
        const tokens = yield* rows(
          `delete from token where hash in (select hash from token where expires_at < $1 limit ${PRUNED_AT_ONCE}) returning id`,
          now,
        );
        const failures = yield* rows(
          `delete from login_failure where id in (select id from login_failure where at < $1 limit ${PRUNED_AT_ONCE}) returning id`,
          failuresBefore,
        );
        const addresses = yield* rows(
          `delete from login_address where address in (select address from login_address where at < $1 limit ${PRUNED_AT_ONCE}) returning address`,
          failuresBefore,
        );
        return [tokens, failures, addresses].some((pruned) => pruned.length === PRUNED_AT_ONCE);
      }),

    audit({ before = Number.MAX_SAFE_INTEGER, target, limit }) {
      const page = `id < $1 order by id desc limit $2`;
      return engine.read(
        target === undefined
          ? auditEntries.all(`${auditEntries.select} where ${page}`, before, limit)
          : auditEntries.all(`${auditEntries.select} where target = $3 and ${page}`, before, limit, target),
      );
    },
  };
}

import type { AccessStore, AuditEntry } from '../../access/accessStore.ts';
import { accountMethods } from './accounts.ts';
import type { TableDependencies } from '../transaction.ts';
import { transaction } from '../transaction.ts';
import { loginFailureMethods } from './loginFailures.ts';
import type { Row } from '../engine/script.ts';
import { document, integer, rows, text } from '../engine/script.ts';
import { tokenMethods } from './tokens.ts';

const PRUNED_AT_ONCE = 500;

const AUDIT = 'id, at, who, address, request_id, action, target, before_state, after_state';

function auditOf(found: Row): AuditEntry {
  return {
    id: integer(found, 'id'),
    when: integer(found, 'at'),
    who: text(found, 'who'),
    from: text(found, 'address'),
    requestId: text(found, 'request_id'),
    action: text(found, 'action'),
    target: text(found, 'target'),
    before: document(found, 'before_state'),
    after: document(found, 'after_state'),
  };
}

export function createAccessStore(needs: TableDependencies): AccessStore {
  const { engine } = needs;
  return {
    ...accountMethods(needs),
    ...tokenMethods(needs),
    ...loginFailureMethods(needs),

    prune: (now, failuresBefore) =>
      transaction(needs, { closedWhen: 'never' }, function* () {
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

    async audit({ before, target, limit }) {
      const until = before ?? Number.MAX_SAFE_INTEGER;
      const found =
        target === undefined
          ? await engine.query(`select ${AUDIT} from audit where id < $1 order by id desc limit $2`, until, limit)
          : await engine.query(
              `select ${AUDIT} from audit where target = $3 and id < $1 order by id desc limit $2`,
              until,
              limit,
              target,
            );
      return found.map(auditOf);
    },
  };
}

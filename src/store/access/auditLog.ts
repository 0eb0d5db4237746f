// Implements the port of the audit log.
import type { AuditFilter, AuditStore, PruneSummary } from '../../access/audit/auditStore.ts';
import { silentDecision } from '../../model/decision.ts';
import { codec, integer, json, optional, text } from '../engine/codec.ts';
import type { Script, Statement, Value } from '../engine/script.ts';
import { numbers } from '../engine/script.ts';
import { table } from '../engine/table.ts';
import type { TableDependencies } from '../transaction.ts';
import { auditNotes, recordDecision, transaction } from '../transaction.ts';

const auditEntries = auditNotes.with({ id: integer('id') });

const CONDITIONS = [
  ['before', 'id <'],
  ['after', 'id >'],
  ['through', 'id <='],
  ['target', 'target ='],
  ['who', 'who ='],
  ['since', 'at >='],
  ['until', 'at <'],
] as const;

type Conditions = AuditFilter & Readonly<Partial<Record<'before' | 'after' | 'through', number | undefined>>>;

/** Selects the entries that meet all given conditions. The values of `end` come first, as `$1`. */
function select(conditions: Conditions, end: string, ...first: readonly Value[]): Statement {
  const given = CONDITIONS.flatMap(([name, condition]) => {
    const value = conditions[name];
    return value === undefined ? [] : [{ condition, value }];
  });
  const where = given.map(({ condition }, n) => `${condition} $${first.length + n + 1}`).join(' and ');
  const sql = `${auditEntries.select}${where === '' ? '' : ` where ${where}`} order by id ${end}`.trimEnd();
  return { sql, values: [...first, ...given.map(({ value }) => value)] };
}

const ids = codec({ first: optional(integer('first')), last: optional(integer('last')) });

/** A table with one row: how far the log is pruned, and which replica is at it. */
const retention = table('audit_retention', {
  prunedBefore: integer('pruned_before'),
  owner: optional(text('owner')),
  leaseUntil: integer('lease_until'),
});
const RETENTION = `${retention.select} where id = 1`;
const updateRetention = retention.with({ id: integer('id') }).updater(['id']);

const summaries = table('audit', { id: integer('id'), after: optional(json<PruneSummary>('after_state')) });
const updateSummary = summaries.updater(['id']);
const LAST_SUMMARY = `${summaries.select} where target = $1 and action = $2 order by id desc limit 1`;

export function auditMethods(dependencies: TableDependencies): AuditStore {
  const { engine, clock } = dependencies;
  const { forUpdate } = engine.dialect;

  /** Counts removed entries in the summary of the same pruning, or in a new one. */
  function* recordRemoved(
    { action, target, add, before, by }: Parameters<AuditStore['pruneAudit']>[0],
    removed: number,
  ): Script<void> {
    const last = yield* summaries.first(LAST_SUMMARY, target, action);
    if (last?.after?.entriesBefore === before) yield* updateSummary({ id: last.id, after: add(last.after, removed) });
    else
      yield* recordDecision(
        by,
        clock.now(),
        silentDecision(undefined, { action, target, after: add(undefined, removed) }),
      );
  }

  return {
    audit({ limit, ...query }) {
      const { sql, values } = select(query, 'desc limit $1', limit);
      return engine.read(auditEntries.all(sql, ...values));
    },

    async auditIds() {
      const { first, last } = await engine.read(
        ids.only('select (select min(id) from audit) as first, (select max(id) from audit) as last'),
      );
      return first === undefined || last === undefined ? undefined : { first, last };
    },

    auditRange(range) {
      const { sql, values } = select(range, '');
      return engine.read(auditEntries.all(sql, ...values));
    },

    async pruneAudit(pruning) {
      const { before, limit, owner, leaseMs } = pruning;
      // Without a lock first: most calls find that everything is pruned already.
      if ((await engine.read(retention.only(RETENTION))).prunedBefore >= before) return false;
      return transaction(dependencies, { closedWhen: 'never' }, function* () {
        const state = yield* retention.only(`${RETENTION}${forUpdate}`);
        const now = clock.now();
        const isOthers = state.owner !== undefined && state.owner !== owner && state.leaseUntil > now;
        if (state.prunedBefore >= before || isOthers) return false;
        const removed = yield* numbers(
          `delete from audit where id in (select id from audit where at < $1 order by at, id limit ${limit}) returning id`,
          before,
        );
        const hasMore = removed.length === limit;
        yield* updateRetention({
          id: 1,
          prunedBefore: hasMore ? state.prunedBefore : before,
          owner: hasMore ? owner : undefined,
          leaseUntil: hasMore ? now + leaseMs : 0,
        });
        if (removed.length > 0) yield* recordRemoved(pruning, removed.length);
        return hasMore;
      });
    },
  };
}

// The audit log: read in pages, exported as a whole, and pruned after the configured number of days.
import type { Clock } from '../../foundation/clock.ts';
import { DAY, MINUTE } from '../../foundation/clock.ts';
import { newId } from '../../foundation/ids.ts';
import { localActor } from '../../model/actor.ts';
import type { AuditEntry, AuditFilter, AuditPruning, AuditStore } from './auditStore.ts';

export interface AuditLogOptions {
  readonly store: AuditStore;
  readonly clock: Clock;
  /** How many days entries are kept; undefined if they are never removed. */
  readonly auditRetentionDays: number | undefined;
}

export interface AuditExport extends AuditFilter {
  /** Only entries with a higher id: continues an export that was interrupted. */
  readonly after?: number | undefined;
}

/** The ids of one page of an export. With any filter, reading a page costs the same, because it never looks beyond these ids. */
const PAGE_IDS = 500;
const PRUNED_AT_ONCE = 500;
/** The time after which another replica continues for one that has died while it pruned. */
const LEASE_MS = MINUTE;

/** Whole days in UTC, so that the log gets at most one entry a day about pruning. */
export function prunedBefore(now: number, retentionDays: number): number {
  return Math.floor((now - retentionDays * DAY) / DAY) * DAY;
}

export function createAuditLog({ store, clock, auditRetentionDays }: AuditLogOptions) {
  const pruning: Omit<AuditPruning, 'before' | 'add'> = {
    limit: PRUNED_AT_ONCE,
    owner: newId(),
    leaseMs: LEASE_MS,
    by: localActor('steward'),
    action: 'audit.prune',
    target: 'audit log',
  };

  return {
    /** Reads all entries that exist now, oldest first, page by page. A page is read when the previous one was taken. */
    async *export({ after = 0, ...filter }: AuditExport): AsyncGenerator<readonly AuditEntry[]> {
      const ids = await store.auditIds();
      if (ids === undefined) return;
      for (let read = Math.max(after, ids.first - 1); read < ids.last; read += PAGE_IDS)
        yield await store.auditRange({ ...filter, after: read, through: Math.min(read + PAGE_IDS, ids.last) });
    },

    /** Removes the entries that are older than the retention, unless another replica does. */
    async prune(signal: AbortSignal): Promise<void> {
      if (auditRetentionDays === undefined) return;
      const before = prunedBefore(clock.now(), auditRetentionDays);
      const add: AuditPruning['add'] = (summary, removed) => ({
        entriesBefore: before,
        removed: (summary?.removed ?? 0) + removed,
      });
      while (!signal.aborted && (await store.pruneAudit({ ...pruning, before, add })));
    },
  };
}

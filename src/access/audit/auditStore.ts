// The port of the audit log to the store, with the values that both share.
import type { Actor } from '../../model/actor.ts';

export interface AuditEntry {
  readonly id: number;
  readonly when: number;
  readonly who: string;
  readonly from: string;
  readonly requestId: string;
  readonly action: string;
  readonly target: string;
  readonly before: unknown;
  readonly after: unknown;
}

export interface AuditFilter {
  readonly target?: string | undefined;
  readonly who?: string | undefined;
  /** Inclusive. */
  readonly since?: number | undefined;
  /** Exclusive. */
  readonly until?: number | undefined;
}

export interface AuditQuery extends AuditFilter {
  /** Only entries with a lower id. */
  readonly before?: number | undefined;
  readonly limit: number;
}

/** The entries with a higher id than `after`, up to the id `through`. */
export interface AuditRange extends AuditFilter {
  readonly after: number;
  readonly through: number;
}

/** How the audit log itself shows that entries were removed. */
export interface PruneSummary {
  readonly entriesBefore: number;
  readonly removed: number;
}

export interface AuditPruning {
  /** Entries before this time are removed. */
  readonly before: number;
  /** How many entries one call removes at most. */
  readonly limit: number;
  /** The replica that prunes. While its lease lasts, the calls of other replicas remove nothing. */
  readonly owner: string;
  readonly leaseMs: number;
  readonly by: Actor;
  readonly action: string;
  readonly target: string;
  /** Adds removed entries to the summary of this pruning; undefined for the first ones. */
  readonly add: (summary: PruneSummary | undefined, removed: number) => PruneSummary;
}

/** Each method is one transaction. */
export interface AuditStore {
  /** Reads entries, newest first. */
  audit(query: AuditQuery): Promise<readonly AuditEntry[]>;
  /** Returns the lowest and the highest id, or undefined if the log is empty. */
  auditIds(): Promise<{ readonly first: number; readonly last: number } | undefined>;
  /** Reads a range of entries, oldest first. */
  auditRange(range: AuditRange): Promise<readonly AuditEntry[]>;
  /** Removes a bounded number of entries, and counts them in one entry for each `before`. Returns true if there may be more. */
  pruneAudit(pruning: AuditPruning): Promise<boolean>;
}

/** An event of Steward's own, written to the outbox in the transaction of the change that it tells of. */
export interface Announcement {
  readonly type: string;
  readonly service?: { readonly folder: string; readonly name: string; readonly type: string };
  readonly data: Readonly<Record<string, unknown>>;
}

export interface AuditNote {
  readonly action: string;
  readonly target: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

/**
 * What a rule says after reading the state under lock. A store may call the rule again when two writers meet,
 * so it is pure; it refuses by throwing a StewardError, and then nothing is written.
 */
export interface Decision<C> {
  readonly change: C;
  readonly announce: readonly Announcement[];
  readonly audit: readonly AuditNote[];
}

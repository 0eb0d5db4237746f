/** An event of Steward's, written to the outbox in the transaction of the change that it announces. */
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
 * The result of a rule that has read the state under lock. The rule must be pure, because a store calls it again after a
 * conflict. It refuses by throwing a StewardError; then nothing is written.
 */
export interface Decision<C> {
  readonly change: C;
  readonly announce: readonly Announcement[];
  readonly audit: readonly AuditNote[];
}

/** Makes a decision that announces no event. */
export function silentDecision<C>(change: C, ...audit: readonly AuditNote[]): Decision<C> {
  return { change, announce: [], audit };
}

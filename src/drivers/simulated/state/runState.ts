/** A hook or a phase of the database that was begun. Its status is derived from the time that has passed since. */
export interface RunState {
  readonly begun: number;
  readonly durationMs: number;
  /** The injected fault that makes it fail. */
  readonly faultId?: string;
}

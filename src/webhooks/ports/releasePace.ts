/** The pace of a release. `mark` is the time up to which the pace is used up; the store keeps it for all replicas. */
export interface ReleasePace {
  /** How many deliveries may be claimed now. */
  allowance(mark: number, now: number): number;
  /** The mark after `claimed` deliveries. */
  advance(mark: number, now: number, claimed: number): number;
  /** When the next delivery may be claimed. */
  nextAt(mark: number, now: number): number;
}

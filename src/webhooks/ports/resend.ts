/** Deliveries of a webhook that failed since a time, or that were accepted since then and are held. */
export interface ResendSelection {
  readonly webhook: string;
  readonly state: 'failed' | 'held';
  readonly since: number;
}

export interface ResendQuery extends ResendSelection {
  /** Only deliveries with a greater id. */
  readonly after: number;
  readonly limit: number;
  /** Of held deliveries, only those that were accepted until then. */
  readonly requestedAt: number;
  /**
   * When the webhook was deactivated, as it was at the request: 0 if it was created inactive, undefined if it was active.
   * Deliveries are sent through this deactivation, and are held by a later one.
   */
  readonly deactivatedAt: number | undefined;
}

export interface ResendPage {
  readonly requeued: number;
  /** The id to continue after. */
  readonly after: number;
  readonly isLast: boolean;
}

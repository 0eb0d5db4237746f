/** The longest waits in milliseconds that the policy allows. */
export interface LongestWaits {
  readonly retry: number;
  /** For webhooks whose receiver may ask for a longer wait. */
  readonly signalled: number;
  readonly lease: number;
  /** Waits that are longer by at most this are left alone: they may have begun after `now`, on another replica. */
  readonly tolerance: number;
}

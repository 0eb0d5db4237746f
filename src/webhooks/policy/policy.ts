/** The delivery policy that an administrator sets, in the interface's own names and order. */
export interface DeliveryPolicy {
  readonly notificationAttempts: number;
  readonly notificationTimeOutInSeconds: number;
  readonly notificationElapsedTimeInSeconds: number;
  readonly daysInPast: number;
  readonly numberOfFailures: number;
}

export type PolicyChange = { readonly [K in keyof DeliveryPolicy]: DeliveryPolicy[K] | undefined };

/** A field that is not sent keeps its stored value. */
export function changedPolicy(current: DeliveryPolicy, change: PolicyChange): DeliveryPolicy {
  return {
    notificationAttempts: change.notificationAttempts ?? current.notificationAttempts,
    notificationTimeOutInSeconds: change.notificationTimeOutInSeconds ?? current.notificationTimeOutInSeconds,
    notificationElapsedTimeInSeconds:
      change.notificationElapsedTimeInSeconds ?? current.notificationElapsedTimeInSeconds,
    daysInPast: change.daysInPast ?? current.daysInPast,
    numberOfFailures: change.numberOfFailures ?? current.numberOfFailures,
  };
}

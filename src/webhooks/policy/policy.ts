/** The delivery policy that an administrator sets, with the names and the order of the public interface. */
export interface DeliveryPolicy {
  readonly notificationAttempts: number;
  readonly notificationTimeOutInSeconds: number;
  readonly notificationElapsedTimeInSeconds: number;
  readonly daysInPast: number;
  readonly numberOfFailures: number;
}

export type PolicyChange = { readonly [K in keyof DeliveryPolicy]: DeliveryPolicy[K] | undefined };

/** Fields that are undefined keep their values. */
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

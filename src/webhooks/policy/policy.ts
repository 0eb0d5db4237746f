/** The delivery policy that an administrator sets, with the names and the order of the public interface. */
export interface DeliveryPolicy {
  readonly notificationAttempts: number;
  readonly notificationTimeOutInSeconds: number;
  readonly notificationElapsedTimeInSeconds: number;
  readonly daysInPast: number;
  readonly numberOfFailures: number;
}

/** Fields that are absent or undefined keep their values. */
export type PolicyChange = { readonly [K in keyof DeliveryPolicy]?: DeliveryPolicy[K] | undefined };

export function changedPolicy(current: DeliveryPolicy, change: PolicyChange): DeliveryPolicy {
  return { ...current, ...Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)) };
}

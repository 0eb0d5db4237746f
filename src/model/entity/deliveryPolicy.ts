import type { EntityValues, GivenValues } from './field.ts';
import { entity } from './field.ts';

/** The delivery policy that an administrator sets, with the names and the order of the public interface. */
export const DELIVERY_POLICY = entity({
  notificationAttempts: {
    kind: 'integer',
    min: 1,
    max: 5,
    column: 'attempts',
    label: 'Attempts',
    help: 'The number of attempts of a delivery.',
    formHelp: 'After this many, the delivery has failed.',
  },
  notificationTimeOutInSeconds: {
    kind: 'integer',
    min: 1,
    max: 60,
    unit: 's',
    column: 'timeout_s',
    label: 'Time-out of an attempt',
    help: 'The time limit of an attempt, until the last byte.',
    formHelp: 'Until the last byte of the answer.',
  },
  notificationElapsedTimeInSeconds: {
    kind: 'integer',
    min: 1,
    max: 86_400,
    unit: 's',
    column: 'wait_s',
    label: 'Wait after a failed attempt',
    help: 'The wait after a failed attempt.',
    formHelp: 'In seconds, at most one day.',
  },
  daysInPast: {
    kind: 'integer',
    min: 1,
    max: 365,
    column: 'days',
    label: 'Days of the failure window',
    help: 'The length of the failure window, with its first day.',
    formHelp: 'UTC days, with the first one.',
  },
  numberOfFailures: {
    kind: 'integer',
    min: 1,
    max: 100_000,
    column: 'failures',
    label: 'Failures that deactivate',
    help: 'The failures within the window that deactivate a webhook.',
    formHelp: 'Failed deliveries within the window.',
  },
});

export type DeliveryPolicy = EntityValues<typeof DELIVERY_POLICY>;
export type PolicyChange = GivenValues<typeof DELIVERY_POLICY>;

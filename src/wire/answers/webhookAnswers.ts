/** Bodies of the answers about webhooks, their deliveries and the delivery policy. */
import type { ShapeType } from '../../foundation/schema/shape.ts';
import {
  choice,
  flag,
  integer,
  list,
  map,
  named,
  nullable,
  object,
  optional,
  text,
  time,
} from '../../foundation/schema/shape.ts';
import { WEBHOOK_HEALTHS } from '../../model/webhookHealth.ts';
import { DELIVERY_POLICY } from '../../model/entity/deliveryPolicy.ts';
import { WEBHOOK as WEBHOOK_ENTITY } from '../../model/entity/webhook.ts';
import { answerFields } from '../fields/entityShape.ts';
import { namedObject, success } from './commonAnswers.ts';

const DEACTIVATION = namedObject('Deactivation', { reason: text(), at: time('When it was deactivated.') });

const FAILURE_WINDOW = namedObject('FailureWindow', {
  startedAt: time('When the first failure of the window happened.'),
  failures: integer(),
  allowed: integer('At this many failures the webhook is deactivated.'),
  endsAt: time('When the window ends.'),
});

const OUTCOME = text('accepted, refused or unreachable.');

const LAST_ANSWER = namedObject('LastAnswer', {
  at: time('When the attempt ended.'),
  outcome: OUTCOME,
  status: optional(integer('The HTTP status, if the receiver has answered.')),
  reason: optional(text('Why the receiver did not accept it.')),
});
export type LastAnswer = ShapeType<typeof LAST_ANSWER>;

/** Every accepted delivery is counted in exactly one of the five other numbers. */
export const LEDGER_FIELDS = {
  accepted: integer('The sum of the other five numbers.'),
  delivered: integer(),
  pending: integer(),
  held: integer('Pending deliveries of an inactive webhook.'),
  failed: integer(),
  discarded: integer(),
};
const LEDGER = namedObject('Ledger', LEDGER_FIELDS);
export type LedgerAnswer = ShapeType<typeof LEDGER>;

export const SCOPE = {
  folderName: text('Empty for the root.'),
  serviceName: text('Empty for a webhook of the system.'),
  serviceType: text(),
};

const HEALTH = choice(
  WEBHOOK_HEALTHS,
  'unreadable: the server lacks the master key of its secrets, so nothing is sent.',
);

const { name, hookUrl, active, changeTypes, contentType, ...OTHERS } = answerFields(WEBHOOK_ENTITY);

/** The record of the interface comes first, in its order. */
const WEBHOOK_FIELDS = {
  id: text(),
  ...SCOPE,
  name,
  hookUrl,
  active,
  changeTypes,
  payloadFormat: choice(['json']),
  contentType,
  headers: map(text(), 'The custom headers. Their values are hidden.'),
  created: time('When it was created.'),
  modified: time('When it was last changed.'),
  ownerId: text('The user who created it.'),
  deactivation: nullable(DEACTIVATION),
  ...OTHERS,
  revision: integer('Counts the changes. An edit can name it in ifRevision.'),
  failureWindow: nullable(FAILURE_WINDOW),
  ledger: LEDGER,
  lastAnswer: nullable(LAST_ANSWER),
  health: HEALTH,
};

export const WEBHOOK = namedObject('Webhook', WEBHOOK_FIELDS);
export type WebhookAnswer = ShapeType<typeof WEBHOOK>;

const KEY = text('The key that signs its deliveries. It is shown this once.');
const WEBHOOK_WITH_KEY = namedObject('WebhookWithKey', { ...WEBHOOK_FIELDS, signatureKey: KEY });
const EDITED_WEBHOOK = namedObject('EditedWebhook', { ...WEBHOOK_FIELDS, signatureKey: optional(KEY) });

export const WEBHOOKS = namedObject('WebhookPage', {
  webhooks: list(WEBHOOK, 'Oldest first.'),
  next: nullable(text('Send it as `after` for the next page. Null on the last page.')),
});
export const CREATED_WEBHOOK = success({ webhook: WEBHOOK_WITH_KEY });
export const CHANGED_WEBHOOK = success({ webhook: WEBHOOK });
export const CHANGED_WEBHOOKS = success({ webhooks: integer('How many were changed.') });
const REQUESTS_UNDER_WAY = integer(
  'How many requests of a deleted webhook may still arrive. Others were ended before the response.',
);
export const DELETED_WEBHOOK = success({ requestsUnderWay: REQUESTS_UNDER_WAY });
export const DELETED_WEBHOOKS = success({
  webhooks: integer('How many were deleted.'),
  requestsUnderWay: REQUESTS_UNDER_WAY,
});

const ORIGIN_CHANGE = namedObject('OriginChange', {
  from: text(),
  to: text(),
  droppedHeaders: list(text()),
  keyRotated: flag(),
  message: text(),
});

export const EDIT_RESULT = success({
  webhook: EDITED_WEBHOOK,
  originChange: optional(ORIGIN_CHANGE),
});

export const TEST_RESULT = success({
  delivered: flag('Whether the receiver accepted the test event.'),
  test: object({
    webhookMessageId: text(),
    delivered: flag(),
    outcome: text('accepted, refused, unreachable or notSent.'),
    status: nullable(integer('The HTTP status, if the receiver has answered.')),
    reason: text(),
    durationMs: integer(),
    answer: text('What the receiver answered.'),
  }),
});

export const ROTATED_KEY = success({ signatureKey: KEY });

export const WEBHOOK_STATUS = namedObject('WebhookStatus', {
  id: text(),
  state: HEALTH,
  lastAnswer: nullable(LAST_ANSWER),
  lastSuccess: nullable(time('When a delivery was last accepted.')),
  pausedUntil: nullable(time('Until then the receiver asked for no request.')),
  deactivation: nullable(DEACTIVATION),
  failureWindow: nullable(FAILURE_WINDOW),
  ...LEDGER_FIELDS,
});
export type WebhookStatusAnswer = ShapeType<typeof WEBHOOK_STATUS>;

const DELIVERY_FIELDS = {
  id: text(),
  webhookMessageId: text('The webhook-id that the receiver gets.'),
  eventId: nullable(text()),
  event: text('The type of the event.'),
  state: choice(['pending', 'held', 'delivered', 'failed', 'discarded']),
  attempts: integer(),
  created: time('When the event was accepted.'),
  ended: nullable(time('When it was delivered, failed or discarded.')),
  nextAttempt: nullable(time('When it is attempted next.')),
};
const DELIVERY = namedObject('Delivery', DELIVERY_FIELDS);
export type DeliveryAnswer = ShapeType<typeof DELIVERY>;

export const DELIVERIES = object({
  deliveries: list(DELIVERY, 'Newest first.'),
  next: nullable(text('Send it as `before` for the next page. Null on the last page.')),
});
export const RESENT_DELIVERY = success({ delivery: DELIVERY });

const ATTEMPT = namedObject('Attempt', {
  attempt: integer(),
  at: time('When it was begun.'),
  url: nullable(text('Null for attempts of older releases.')),
  durationMs: integer(),
  outcome: OUTCOME,
  status: nullable(integer('The HTTP status, if the receiver has answered.')),
  reason: text(),
  answer: text('What the receiver answered.'),
});
export type AttemptAnswer = ShapeType<typeof ATTEMPT>;

export const DELIVERY_WITH_LOG = object({
  ...DELIVERY_FIELDS,
  log: list(ATTEMPT),
  body: text('What is sent to the receiver.'),
});

/** With `dryRun` the deliveries are counted, and there is no job. */
export const RESEND_RESULT = success({
  dryRun: optional(flag()),
  jobId: optional(text()),
  deliveries: integer('How many are sent again.'),
});

export const EVENT = namedObject('Event', {
  id: text('The webhook-id that receivers get.'),
  eventId: nullable(text()),
  event: text('The type of the event.'),
  ...SCOPE,
  sequence: integer(),
  accepted: time('When it was accepted.'),
  body: text('What is sent to receivers.'),
  deliveries: list(object({ webhookId: text(), webhookName: text(), ...DELIVERY_FIELDS })),
});
export type EventAnswer = ShapeType<typeof EVENT>;

export const ACCEPTED_EVENTS = success({
  events: list(
    object({
      id: text('The webhook-id that receivers get.'),
      eventId: nullable(text()),
      sequence: integer('Counts the events of a service.'),
      deliveries: integer('How many webhooks get it.'),
      repeat: flag('Whether an event with this eventId was accepted before.'),
    }),
  ),
});

export const WEBHOOK_SETTINGS = named(
  'WebhookSettings',
  object({ ...answerFields(DELIVERY_POLICY), status: choice(['success']) }),
  {
    examples: [
      {
        notificationAttempts: 3,
        notificationTimeOutInSeconds: 10,
        notificationElapsedTimeInSeconds: 5,
        daysInPast: 5,
        numberOfFailures: 5,
        status: 'success',
      },
    ],
  },
);

export const POLICY_PREVIEW = object({
  wouldDeactivate: list(
    object({
      id: text(),
      ...SCOPE,
      name: text(),
      at: time('When it would have been deactivated.'),
      failures: integer(),
    }),
  ),
});

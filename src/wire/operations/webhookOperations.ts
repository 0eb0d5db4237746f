// The operations on webhooks, their deliveries and the delivery policy, and the one that accepts events.
import type { Shape } from '../../foundation/schema/shape.ts';
import * as answers from '../answers/webhookAnswers.ts';
import { SUCCESS } from '../answers/commonAnswers.ts';
import { boolean, choice, instant, integer, required, optional, text } from './fields.ts';
import { operations } from './operations.ts';
import {
  changeTypes,
  eventId,
  eventList,
  eventType,
  headerName,
  headers,
  payload,
  receiverAddress,
  signatureKey,
} from './webhookFields.ts';

const PENDING = optional(
  choice(['release', 'discard']),
  'What becomes of the deliveries that were held: release sends them, at a measured pace; discard drops them.',
);

const paging = {
  after: optional(text(100), 'The id of the last one of the page before.'),
  num: optional(integer(1, 1000), 'How many at the most; 100 unless given.'),
};

const details = {
  changeTypes: optional(changeTypes, 'Which events: ["*"], or a JSON array of types. All unless given.'),
  payloadFormat: optional(choice(['json']), 'The form of the payload; json is the only one.'),
  contentType: optional(
    choice(['application/json', 'application/x-www-form-urlencoded']),
    'How it is sent: as JSON, or as a form with the JSON in the field payload.',
  ),
  headers: optional(headers, 'Headers that the receiver asks for, as a JSON object. They are kept encrypted.'),
  signatureHeader: optional(
    headerName,
    'The name of one more header, with sha256= and the HMAC of the body alone; none for none.',
  ),
  receiverSignals: optional(
    boolean,
    'Whether 410 deactivates at once, and Retry-After on 429 and 503 lengthens the wait.',
  ),
};

const policy = {
  notificationAttempts: optional(integer(1, 5), 'How often a delivery is attempted.'),
  notificationTimeOutInSeconds: optional(
    integer(1, 60),
    'How long one attempt may take, from connection to last byte.',
  ),
  notificationElapsedTimeInSeconds: optional(integer(1, 86_400), 'The wait after an attempt that failed.'),
  daysInPast: optional(integer(1, 365), 'The days of a window, the day of its first failure included.'),
  numberOfFailures: optional(integer(1, 100_000), 'The failed deliveries within a window that deactivate a webhook.'),
};

type WebhookRole = 'publisher' | 'administrator';

function operation<A extends Shape>(role: WebhookRole, answer: A) {
  return { kind: 'operation', role, closedWhen: 'readOnly', answer } as const;
}

function resource<A extends Shape>(role: WebhookRole, answer: A) {
  return { kind: 'resource', role, closedWhen: 'never', answer } as const;
}

/** Operations that list, create, change and delete webhooks. */
function subscriptionOperations(at: string, role: WebhookRole) {
  return operations({
    list: { ...resource(role, answers.WEBHOOKS), path: at, description: 'The webhooks, oldest first.', fields: paging },
    create: {
      ...operation(role, answers.CREATED_WEBHOOK),
      path: `${at}/create`,
      fillsDisk: true,
      description: 'Makes a webhook. The answer holds its signatureKey, once and never again.',
      fields: {
        name: required(text(120), 'Its name, unique among its neighbours.'),
        hookUrl: required(receiverAddress, 'Where events are sent.'),
        active: optional(boolean, 'Whether it is active; true unless given.'),
        ...details,
        signatureKey: optional(signatureKey, 'The key to sign with; generated unless given.'),
      },
    },
    item: {
      ...resource(role, answers.WEBHOOK),
      path: `${at}/{id}`,
      description: 'One webhook, with its failure window and its ledger.',
      fields: {},
    },
    edit: {
      ...operation(role, answers.EDIT_RESULT),
      path: `${at}/{id}/edit`,
      description:
        'Changes the fields that are sent, and leaves the others. If hookUrl gets another origin, the custom headers are dropped and the key is replaced, unless the request sets them.',
      fields: {
        name: optional(text(120), 'Its name, unique among its neighbours.'),
        hookUrl: optional(receiverAddress, 'Where events are sent.'),
        active: optional(boolean, 'Activates or deactivates it, as the verbs of that name do.'),
        ...details,
        signatureKey: optional(signatureKey, 'A new key to sign with. The previous one signs for one more day.'),
        ifRevision: optional(
          integer(1, Number.MAX_SAFE_INTEGER),
          'Refuses the edit with 409 if the webhook has another revision.',
        ),
      },
    },
    delete: {
      ...operation(role, SUCCESS),
      path: `${at}/{id}/delete`,
      description: 'Deletes it, with its log and all that waits.',
      fields: {},
    },
  });
}

/** Operations that start and stop webhooks. */
function activationOperations(at: string, role: WebhookRole) {
  return operations({
    activate: {
      ...operation(role, answers.CHANGED_WEBHOOK),
      path: `${at}/{id}/activate`,
      description: 'Makes it active again, with an empty failure window.',
      fields: { pending: PENDING },
    },
    deactivate: {
      ...operation(role, answers.CHANGED_WEBHOOK),
      path: `${at}/{id}/deactivate`,
      description: 'Stops its deliveries. They are held, and so are those of events to come.',
      fields: {},
    },
    activateAll: {
      ...operation(role, answers.CHANGED_WEBHOOKS),
      path: `${at}/activateAll`,
      description: 'Activates them all.',
      fields: { pending: PENDING },
    },
    deactivateAll: {
      ...operation(role, answers.CHANGED_WEBHOOKS),
      path: `${at}/deactivateAll`,
      description: 'Deactivates them all.',
      fields: {},
    },
    deleteAll: {
      ...operation(role, answers.CHANGED_WEBHOOKS),
      path: `${at}/deleteAll`,
      description: 'Deletes them all.',
      fields: {},
    },
  });
}

/** Operations that try a webhook, show how it is doing and change its key. */
function checkOperations(at: string, role: WebhookRole) {
  return operations({
    test: {
      ...operation(role, answers.TEST_RESULT),
      path: `${at}/{id}/test`,
      closedWhen: 'never',
      description:
        'Sends a test event now. `delivered` tells whether the receiver accepted it, `test` what it answered.',
      fields: {},
    },
    rotateKey: {
      ...operation(role, answers.ROTATED_KEY),
      path: `${at}/{id}/rotateKey`,
      description: 'Gives it a new key. For a day, deliveries are signed with the old one too.',
      fields: { signatureKey: optional(signatureKey, 'The new key; generated unless given.') },
    },
    notificationStatus: {
      ...resource(role, answers.WEBHOOK_STATUS),
      path: `${at}/{id}/notificationStatus`,
      description: 'How it is doing: the last answer, the last success.',
      fields: {},
    },
  });
}

/** The fields that narrow a list of deliveries. */
const search = {
  state: optional(
    choice(['pending', 'held', 'delivered', 'failed', 'discarded']),
    'Only those in this state; held are the pending ones of an inactive webhook.',
  ),
  event: optional(eventType, 'Only those of events of this type.'),
  eventId: optional(eventId, 'Only those of the event with this eventId.'),
  webhookMessageId: optional(eventId, 'Only those of the event with this id, which receivers get as webhook-id.'),
  'webhook-id': optional(eventId, 'The same as webhookMessageId.'),
  from: optional(instant, 'Only those accepted at or after this time.'),
  to: optional(instant, 'Only those accepted before this time.'),
  before: optional(integer(1, Number.MAX_SAFE_INTEGER), 'The id of the last one of the page before.'),
  num: paging.num,
};

/** Operations on the log of deliveries. */
function deliveryLogOperations(at: string, eventsAt: string, role: WebhookRole) {
  return operations({
    event: {
      ...resource(role, answers.EVENT),
      path: `${eventsAt}/{event}`,
      description: 'One event with its deliveries.',
      fields: {},
    },
    deliveries: {
      ...resource(role, answers.DELIVERIES),
      path: `${at}/{id}/deliveries`,
      description: 'Its deliveries, newest first.',
      fields: search,
    },
    delivery: {
      ...resource(role, answers.DELIVERY_WITH_LOG),
      path: `${at}/{id}/deliveries/{delivery}`,
      description: 'One delivery with its attempts and its body.',
      fields: {},
    },
    redeliver: {
      ...operation(role, answers.RESENT_DELIVERY),
      path: `${at}/{id}/deliveries/{delivery}/redeliver`,
      description:
        'Sends one delivery that has ended once more. A delivered one stays delivered, whatever the answer is.',
      fields: {},
    },
    redeliverFailed: {
      ...operation(role, answers.RESEND_RESULT),
      path: `${at}/{id}/redeliverFailed`,
      description: 'Sends all that failed since a time again, as a job at a measured pace.',
      fields: {
        since: optional(instant, 'Only those that failed at or after this time; all unless given.'),
        dryRun: optional(boolean, 'Whether to count only.'),
      },
    },
  });
}

/** Webhooks of a service and of the system have the same operations. */
function webhookOperations(at: string, eventsAt: string, role: WebhookRole) {
  return {
    ...subscriptionOperations(at, role),
    ...activationOperations(at, role),
    ...checkOperations(at, role),
    ...deliveryLogOperations(at, eventsAt, role),
  };
}

export const serviceWebhookOperations = webhookOperations(
  '/services/{service}/webhooks',
  '/services/{service}/events',
  'publisher',
);
export const systemWebhookOperations = webhookOperations('/system/webhooks', '/system/events', 'administrator');

export const deliveryOperations = operations({
  settings: {
    kind: 'settings',
    answer: answers.WEBHOOK_SETTINGS,
    path: '/services/webhooks/settings',
    aliases: ['/services/webhooks/settings'],
    role: 'administrator',
    closedWhen: 'readOnly',
    description:
      'The delivery policy: attempts, time-out, wait, and deactivation after so many failures in so many days.',
    fields: policy,
  },
  preview: {
    kind: 'resource',
    answer: answers.POLICY_PREVIEW,
    path: '/services/webhooks/settings/preview',
    role: 'administrator',
    closedWhen: 'never',
    description: 'Which webhooks a policy would have deactivated, and when, over the failures on record.',
    fields: { daysInPast: policy.daysInPast, numberOfFailures: policy.numberOfFailures },
  },
  all: {
    kind: 'resource',
    answer: answers.WEBHOOKS,
    path: '/services/webhooks',
    role: 'publisher',
    closedWhen: 'never',
    description: 'The webhooks of all services, oldest first. Those of the system are at system/webhooks.',
    fields: paging,
  },
  events: {
    kind: 'operation',
    answer: answers.ACCEPTED_EVENTS,
    path: '/services/{service}/events',
    role: 'publisher',
    closedWhen: 'never',
    fillsDisk: true,
    description:
      'Accepts an event, or an array of them, for the webhooks of a service. The answer means that they are safe.',
    fields: {
      event: optional(eventType, 'The type of the event.'),
      payload: optional(payload, 'What it tells, as JSON of at most 256 KiB.'),
      eventId: optional(eventId, 'What you call it: the same one twice is accepted once.'),
      events: optional(eventList, 'Many at once: a JSON array of objects with event, payload and eventId.'),
    },
  },
});

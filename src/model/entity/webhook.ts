import type { EntityValues } from './field.ts';
import { entity } from './field.ts';

/** What the owner of a webhook chooses. Its headers and its key are not here: they are sealed together, and never shown again. */
export const WEBHOOK = entity({
  name: {
    kind: 'text',
    max: 120,
    reader: 'name',
    column: 'hook_name',
    label: 'Name',
    help: 'The name of the webhook, unique for its service or the system.',
    formHelp: 'Unique among the webhooks of the same service.',
  },
  hookUrl: {
    kind: 'text',
    max: 2048,
    reader: 'receiverAddress',
    column: 'url',
    label: 'Address of the receiver',
    help: 'The URL that events are sent to.',
    formHelp: 'http or https, without a user name or a password. Private addresses must be allowed by the operator.',
  },
  active: {
    kind: 'flag',
    default: true,
    column: 'active',
    label: 'Active',
    help: 'Whether the webhook is active. Default true.',
    formHelp: 'If off, deliveries are held until you activate the webhook.',
  },
  changeTypes: {
    kind: 'eventTypes',
    default: ['*'],
    column: 'change_types',
    label: 'Event types',
    help: 'The event types to deliver: ["*"], or a JSON array of types. Default: all.',
    about: 'The types of events that it gets; * stands for all.',
  },
  contentType: {
    kind: 'choice',
    choices: ['application/json', 'application/x-www-form-urlencoded'],
    default: 'application/json',
    labels: {
      'application/json': 'JSON',
      'application/x-www-form-urlencoded': 'A form with the JSON in the field payload',
    },
    column: 'content_type',
    label: 'Body',
    help: 'The content type of a delivery: JSON, or a form with the JSON in the field payload.',
    formHelp: '',
  },
  signatureHeader: {
    kind: 'text',
    max: 100,
    default: '',
    reader: 'headerName',
    column: 'signature_header',
    label: 'Additional signature header',
    help: 'An additional header with sha256= and the HMAC of the body, or none.',
    formHelp:
      'Only for receivers that support no other signature, such as X-Hub-Signature-256. It has sha256= and the HMAC of the body. It does not cover the time, so a request can be replayed. Empty for none.',
    about: 'Empty for none.',
  },
  receiverSignals: {
    kind: 'flag',
    default: false,
    labels: { true: 'Obeyed: 410 and Retry-After', false: 'Ignored' },
    column: 'receiver_signals',
    label: 'Obey signals of the receiver',
    help: 'If true, a response of 410 deactivates the webhook at once, and Retry-After on 429 and 503 lengthens the wait.',
    formHelp: '410 deactivates the webhook at once. Retry-After with 429 or 503 lengthens the wait, up to one hour.',
  },
});

export type WebhookDetails = EntityValues<typeof WEBHOOK>;

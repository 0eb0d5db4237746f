// Webhooks of a service and of the system, events, deliveries and the policy. `{receiver}` records what arrives.
import type { Row } from '../player.ts';

const SETTLED = { after: 'settled' } as const;
const EVENT = { event: 'book.closed', payload: '{"year":2026,"z":1.0,"a":[1,2]}' };
const POLICY = 'services/webhooks/settings';

export const POLICY_ROWS: readonly Row[] = [
  [`GET ${POLICY}`],
  ['GET /services/webhooks/settings'],
  [
    `POST ${POLICY}`,
    { notificationAttempts: '1', notificationTimeOutInSeconds: '20', notificationElapsedTimeInSeconds: '1' },
  ],
  [`POST ${POLICY}`, { daysInPast: 3, numberOfFailures: 100 }, { form: 'json' }],
  [`POST /services/webhooks/settings`, { numberOfFailures: '50' }],
  [`POST /compat/admin/${POLICY}`, { numberOfFailures: '40' }],
];

function creationRows(at: string): readonly Row[] {
  return [
    [
      `POST ${at}/create`,
      {
        name: 'first',
        hookUrl: '{receiver}/ok/first',
        signatureHeader: 'X-Sign',
        changeTypes: '["*"]',
        headers: '{"X-Key":"1"}',
        receiverSignals: 'true',
      },
      { keep: { hook: 'webhook.id' } },
    ],
    [
      `POST ${at}/create`,
      {
        name: 'form',
        hookUrl: '{receiver}/ok/form',
        contentType: 'application/x-www-form-urlencoded',
        active: false,
        changeTypes: ['a.b', '*'],
        headers: { 'X-Key': '1' },
        signatureKey: 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=',
      },
      { form: 'json', keep: { form: 'webhook.id' } },
    ],
    [`POST ${at}/create`, { name: 'first', hookUrl: '{receiver}/ok/other' }],
    [`POST ${at}/create`, { name: 'private', hookUrl: 'http://10.0.0.1/' }],
  ];
}

/** What both scopes have. `cause` makes an event that the webhooks get. */
function scopeRows(at: string, cause: readonly Row[]): readonly Row[] {
  const events = at.replace('/webhooks', '/events');
  const one = `${at}/{id=hook}`;
  return [
    ...creationRows(at),
    [`GET ${one}`],
    [`POST ${one}/edit`, { name: 'renamed', ifRevision: '1' }],
    [`POST ${one}/edit`, { name: 'late', ifRevision: '1' }],
    [`POST ${at}/{id=form}/edit`, { hookUrl: 'http://localhost:1/elsewhere' }],
    [`POST ${at}/{id=form}/edit`, { hookUrl: '{receiver}/ok/form', headers: '{"x-other":"2"}' }],
    [`POST ${one}/test`],
    [`POST ${at}/{id=form}/test`],
    [`POST ${at}/{id=form}/activate`, { pending: 'release' }],
    ...cause,
    [
      `GET ${one}/deliveries`,
      { num: '3' },
      { ...SETTLED, keep: { delivery: 'deliveries.0.id', event: 'deliveries.0.webhookMessageId' } },
    ],
    [`GET ${one}/deliveries`, { state: 'failed', num: '5' }],
    [`GET ${one}/deliveries/{delivery}`],
    [`GET ${events}/{event}`],
    [`GET ${one}/notificationStatus`],
    [`POST ${one}/deliveries/{delivery}/redeliver`],
    [`POST ${one}/rotateKey`, {}, SETTLED],
    [`POST ${one}/rotateKey`, { signatureKey: 'a key of the caller' }],
    [`POST ${one}/edit`, { hookUrl: '{receiver}/fail/first', signatureHeader: 'none' }],
    ...cause,
    [`POST ${one}/redeliverFailed`, { dryRun: 'true' }, SETTLED],
    [`POST ${one}/redeliverFailed`, { since: '2026-01-01T00:00:00Z' }, { keep: { resend: 'jobId' } }],
    ['GET system/jobs/{id=resend}', {}, SETTLED],
    ['GET services/webhooks/settings/preview', { numberOfFailures: '1', daysInPast: '2' }],
    [`POST ${one}/deactivate`],
    ...cause,
    [`POST ${one}/redeliverHeld`, { dryRun: 'true' }, SETTLED],
    [`POST ${one}/redeliverHeld`],
    [`GET ${one}/deliveries`, { num: '3' }, SETTLED],
    [`POST ${one}/activate`, { pending: 'discard' }],
    [`POST ${at}/deactivateAll`, {}, SETTLED],
    [`POST ${at}/activateAll`, { pending: 'release' }, SETTLED],
    [`GET ${at}`, { num: '1' }, SETTLED],
    [`POST ${at}/{id=form}/delete`],
    [`POST ${at}/{id=form}/delete`],
  ];
}

export const SERVICE_WEBHOOK_ROWS: readonly Row[] = scopeRows('services/{service}/webhooks', [
  ['POST services/{service}/events', EVENT, { as: 'publisher' }],
  [
    'POST services/{service}/events',
    {
      events: [
        { ...EVENT, eventId: 'once' },
        { ...EVENT, event: 'b', eventId: 'twice' },
      ],
    },
    { form: 'json' },
  ],
  ['POST services/{service}/events', { event: 'book.closed', payload: '{' }],
]);

/** Changes of the catalog and of webhooks are events of the system. */
export const SYSTEM_WEBHOOK_ROWS: readonly Row[] = scopeRows('system/webhooks', [
  ['POST services/createFolder', { folderName: 'Noted' }],
  ['POST services/deleteFolder', { folderName: 'Noted' }],
  ['POST services/{service}/stop'],
  ['POST services/{service}/start'],
]);

/** When nothing else needs the webhooks. */
export const WEBHOOK_END_ROWS: readonly Row[] = [
  ['GET services/webhooks', {}, SETTLED],
  ['POST services/{service}/webhooks/deleteAll'],
  ['POST system/webhooks/deleteAll'],
  ['POST services/{service}/delete', {}, SETTLED],
];

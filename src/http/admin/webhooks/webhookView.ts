import { valuesOf } from '../../../model/entity/field.ts';
import { WEBHOOK } from '../../../model/entity/webhook.ts';
import type { Attempt, Delivery, EventWithDeliveries, Ledger } from '../../../webhooks/ports/webhookStore.ts';
import type {
  AttemptAnswer,
  DeliveryAnswer,
  EventAnswer,
  LastAnswer,
  LedgerAnswer,
  WebhookAnswer,
  WebhookStatusAnswer,
} from '../../../wire/answers/webhookAnswers.ts';
import type { OriginChange } from '../../../webhooks/subscriptions/webhookEdit.ts';
import { HIDDEN } from '../../../wire/fields/webhookFields.ts';
import type { WebhookSummary } from '../../../webhooks/subscriptions/subscriptions.ts';

/** Deliveries of an inactive webhook are held instead of pending. */
function ledgerView({ accepted, delivered, failed, discarded }: Ledger, active: boolean): LedgerAnswer {
  const waiting = accepted - delivered - failed - discarded;
  return { accepted, delivered, pending: active ? waiting : 0, held: active ? 0 : waiting, failed, discarded };
}

function lastAnswerView({ last }: Ledger): LastAnswer | null {
  if (last === undefined) return null;
  const { at, kind, status, reason } = last;
  const answered = status === undefined ? {} : { status };
  return { at, outcome: kind, ...answered, ...(reason === '' ? {} : { reason }) };
}

/** Answers had this as the only custom header of a webhook whose secrets cannot be read before they had its health. */
const UNREADABLE_HEADERS = '(unreadable: its master key is missing)';

export function webhookView({ webhook, ledger, window, health, headerNames }: WebhookSummary): WebhookAnswer {
  const { id, scope, created, modified, owner } = webhook;
  // The record of the interface comes first, in its order.
  const { name, hookUrl, active, changeTypes, contentType, ...others } = valuesOf(WEBHOOK, webhook);
  return {
    id,
    folderName: scope.folder,
    serviceName: scope.name,
    serviceType: scope.type,
    name,
    hookUrl,
    active,
    changeTypes,
    payloadFormat: 'json',
    contentType,
    headers: Object.fromEntries((headerNames ?? [UNREADABLE_HEADERS]).map((one) => [one, HIDDEN])),
    created,
    modified,
    ownerId: owner,
    deactivation: webhook.deactivation ?? null,
    ...others,
    revision: webhook.revision,
    failureWindow: window ?? null,
    ledger: ledgerView(ledger, active),
    lastAnswer: lastAnswerView(ledger),
    health,
  };
}

/** Reports what became of the secrets of a webhook whose receiver has another origin. A generated key is shown once. */
export function editedView(webhook: WebhookAnswer, { from, to, droppedHeaders, signatureKey }: OriginChange) {
  const headers = droppedHeaders.length === 0 ? '' : ` The custom headers were dropped: ${droppedHeaders.join(', ')}.`;
  const key = signatureKey === undefined ? '' : ' A new signatureKey was generated, and older keys no longer sign.';
  const message = `hookUrl has changed from ${from} to ${to}.${headers}${key}`;
  return {
    webhook: signatureKey === undefined ? webhook : { ...webhook, signatureKey },
    originChange: { from, to, droppedHeaders, keyRotated: signatureKey !== undefined, message },
  };
}

export function statusView(summary: WebhookSummary): WebhookStatusAnswer {
  const { webhook, ledger, window, now, health } = summary;
  const { pausedUntil } = ledger;
  return {
    id: webhook.id,
    state: health,
    lastAnswer: lastAnswerView(ledger),
    lastSuccess: ledger.lastSuccess ?? null,
    pausedUntil: pausedUntil !== undefined && pausedUntil > now ? pausedUntil : null,
    deactivation: webhook.deactivation ?? null,
    failureWindow: window ?? null,
    ...ledgerView(ledger, webhook.active),
  };
}

export function deliveryView(delivery: Delivery): DeliveryAnswer {
  const { id, messageId, eventId, eventType, state, isHeld, attempts, created, settledAt, dueAt } = delivery;
  return {
    id: String(id),
    webhookMessageId: messageId,
    eventId: eventId ?? null,
    event: eventType,
    state: isHeld ? 'held' : state,
    attempts,
    created,
    ended: settledAt ?? null,
    nextAttempt: dueAt ?? null,
  };
}

export function eventView({ event, deliveries }: EventWithDeliveries): EventAnswer {
  const { id, eventId, type, scope, sequence, at, body } = event;
  return {
    id,
    eventId: eventId ?? null,
    event: type,
    folderName: scope.folder,
    serviceName: scope.name,
    serviceType: scope.type,
    sequence,
    accepted: at,
    body,
    deliveries: deliveries.map((one) => ({
      webhookId: one.webhook,
      webhookName: one.webhookName,
      ...deliveryView(one),
    })),
  };
}

/** Stands for what a receiver answered, or for a payload, where only the owner of the webhook and administrators may see it. */
export const NOT_SHOWN = '(only the owner of the webhook and administrators see this)';

export function attemptView({ number, at, url, durationMs, kind, status, reason, answer }: Attempt): AttemptAnswer {
  return { attempt: number, at, url: url ?? null, durationMs, outcome: kind, status: status ?? null, reason, answer };
}

import type { Attempt, Delivery, Ledger } from '../../../webhooks/ports/webhookStore.ts';
import type {
  AttemptAnswer,
  DeliveryAnswer,
  LastAnswer,
  LedgerAnswer,
  WebhookAnswer,
  WebhookStatusAnswer,
} from '../../../wire/answers/webhookAnswers.ts';
import type { WebhookSummary } from '../../../webhooks/subscriptions/subscriptions.ts';

const HIDDEN = '(hidden)';

/** Deliveries of an inactive webhook are held instead of pending. */
function ledgerView({ accepted, delivered, failed, discarded }: Ledger, active: boolean): LedgerAnswer {
  const waiting = accepted - delivered - failed - discarded;
  return { accepted, delivered, pending: active ? waiting : 0, held: active ? 0 : waiting, failed, discarded };
}

function lastAnswerView({ last }: Ledger): LastAnswer | null {
  if (last === undefined) return null;
  const { at, kind, status, reason } = last;
  return status === undefined ? { at, outcome: kind, reason } : { at, outcome: kind, status };
}

export function webhookView({ webhook, ledger, window, headerNames }: WebhookSummary): WebhookAnswer {
  const { id, scope, name, hookUrl, active, changeTypes, contentType, created, modified, owner } = webhook;
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
    headers: Object.fromEntries(headerNames.map((one) => [one, HIDDEN])),
    created,
    modified,
    ownerId: owner,
    deactivation: webhook.deactivation ?? null,
    signatureHeader: webhook.signatureHeader,
    receiverSignals: webhook.receiverSignals,
    revision: webhook.revision,
    failureWindow: window ?? null,
    ledger: ledgerView(ledger, active),
    lastAnswer: lastAnswerView(ledger),
  };
}

function stateOf(active: boolean, { last }: Ledger): WebhookStatusAnswer['state'] {
  if (!active) return 'deactivated';
  if (last === undefined) return 'unused';
  return last.kind === 'accepted' ? 'healthy' : 'failing';
}

export function statusView({ webhook, ledger, window }: WebhookSummary): WebhookStatusAnswer {
  return {
    id: webhook.id,
    state: stateOf(webhook.active, ledger),
    lastAnswer: lastAnswerView(ledger),
    lastSuccess: ledger.lastSuccess ?? null,
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

export function attemptView({ number, at, durationMs, kind, status, reason, answer }: Attempt): AttemptAnswer {
  return { attempt: number, at, durationMs, outcome: kind, status: status ?? null, reason, answer };
}

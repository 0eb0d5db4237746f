import type { Attempt, Delivery, Ledger, Webhook } from '../../../webhooks/ports/webhookStore.ts';
import type { WebhookSummary } from '../../../webhooks/subscriptions/subscriptions.ts';

const HIDDEN = '(hidden)';

/** Every delivery that was ever accepted is in exactly one of the five. */
function ledgerView({ accepted, delivered, failed, discarded }: Ledger, active: boolean) {
  const waiting = accepted - delivered - failed - discarded;
  return { accepted, delivered, pending: active ? waiting : 0, held: active ? 0 : waiting, failed, discarded };
}

function lastAnswerView({ last }: Ledger) {
  if (last === undefined) return null;
  const { at, kind, status, reason } = last;
  return status === undefined ? { at, outcome: kind, reason } : { at, outcome: kind, status };
}

function recordOf(webhook: Webhook, headerNames: readonly string[]) {
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
  };
}

export function webhookView({ webhook, ledger, window, headerNames }: WebhookSummary) {
  return {
    ...recordOf(webhook, headerNames),
    failureWindow: window ?? null,
    ledger: ledgerView(ledger, webhook.active),
    lastAnswer: lastAnswerView(ledger),
  };
}

export function statusView({ webhook, ledger, window }: WebhookSummary) {
  const state = !webhook.active
    ? 'deactivated'
    : ledger.last === undefined
      ? 'unused'
      : ledger.last.kind === 'accepted'
        ? 'healthy'
        : 'failing';
  return {
    id: webhook.id,
    state,
    lastAnswer: lastAnswerView(ledger),
    lastSuccess: ledger.lastSuccess ?? null,
    deactivation: webhook.deactivation ?? null,
    failureWindow: window ?? null,
    ...ledgerView(ledger, webhook.active),
  };
}

export function deliveryView(delivery: Delivery) {
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

export function attemptView({ number, at, durationMs, kind, status, reason, answer }: Attempt) {
  return { attempt: number, at, durationMs, outcome: kind, status: status ?? null, reason, answer };
}

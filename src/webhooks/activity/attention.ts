// What needs a person because of a webhook: at most one item for each.
import type { AttentionItem } from '../../model/attention.ts';
import type { NextAction } from '../../model/nextAction.ts';
import { isSystem, labelOf, scopeInWords } from '../../model/serviceKey.ts';
import { firstFailureAfter, isNearDeactivation } from '../policy/failureWindow.ts';
import type { Ledger } from '../ports/webhookStore.ts';
import type { WebhookSummary } from '../subscriptions/subscriptions.ts';
import { isDeactivatedByPolicy } from '../subscriptions/webhook.ts';

type WebhookAction = Extract<NextAction, { readonly parameters: { readonly webhook: string } }>['action'];

interface Finding extends Pick<AttentionItem, 'kind' | 'severity' | 'since' | 'cause'> {
  readonly actions: readonly WebhookAction[];
}

function sentence(text: string): string {
  return text.endsWith('.') ? text : `${text}.`;
}

/** What the receiver said last. */
function lastText({ last }: Ledger): string {
  if (last === undefined || last.kind === 'accepted') return '';
  const { status, reason } = last;
  return ` Last attempt: ${sentence(reason === '' ? `the receiver answered ${status ?? 'nothing'}` : reason)}`;
}

function findingOf({ webhook, ledger, window, health }: WebhookSummary): Finding | undefined {
  const last = lastText(ledger);
  const resend: readonly WebhookAction[] = ledger.failed > 0 ? ['resendFailed'] : [];
  if (health === 'unreadable') {
    const cause = 'The server lacks the master key of its secrets, so nothing is sent. Put the key back.';
    return { kind: 'webhookUnreadable', severity: 'critical', since: null, cause, actions: [] };
  }
  if (isDeactivatedByPolicy(webhook)) {
    const { reason = '', at: since = null } = webhook.deactivation ?? {};
    const cause = `It was deactivated, and its deliveries are held. ${sentence(reason)}${last}`;
    const actions = ['testWebhook', 'activateWebhook', ...resend] as const;
    return { kind: 'webhookDeactivated', severity: 'critical', since, cause, actions };
  }
  if (!webhook.active) return undefined;
  const actions = ['testWebhook', ...resend] as const;
  if (window !== undefined && isNearDeactivation(window)) {
    const cause = `${window.failures} of its deliveries have failed. At ${window.allowed} it is deactivated.${last}`;
    return { kind: 'webhookNearDeactivation', severity: 'warning', since: window.startedAt, cause, actions };
  }
  if (health !== 'failing') return undefined;
  const { lastSuccess } = ledger;
  const since = firstFailureAfter(webhook.failures, lastSuccess) ?? null;
  const accepted = lastSuccess === undefined ? 'none before' : `the last one at ${new Date(lastSuccess).toISOString()}`;
  const cause = `The receiver did not accept the last delivery, and has accepted ${accepted}.${last}`;
  return { kind: 'webhookFailing', severity: 'warning', since, cause, actions };
}

/** What a webhook needs a person for; undefined if nothing. */
export function webhookAttention(summary: WebhookSummary): AttentionItem | undefined {
  const finding = findingOf(summary);
  if (finding === undefined) return undefined;
  const { actions, ...found } = finding;
  const { id: webhook, name, scope } = summary.webhook;
  const service = isSystem(scope) ? '' : labelOf(scope);
  const parameters = { service, webhook };
  const isUnreadable = found.kind === 'webhookUnreadable';
  return {
    ...found,
    cause: `The webhook \`${name}\` of ${scopeInWords(scope)}: ${found.cause}`,
    subject: { kind: 'webhook', name, id: webhook, service },
    job: null,
    nextActions: isUnreadable
      ? [{ action: 'diagnostics', parameters: { of: 'server' } }]
      : actions.map((action) => ({ action, parameters })),
    alternatives: isUnreadable ? [{ action: 'replaceSecrets', parameters }] : [],
  };
}

import { isSystem, scopeInWords } from '../../model/serviceKey.ts';
import type { Actor } from '../../model/actor.ts';
import type { Announcement, AuditNote, Decision } from '../../model/decision.ts';
import { StewardError, invalidField } from '../../foundation/errors.ts';
import { newId } from '../../foundation/ids.ts';
import { NO_FAILURES, afterFailure, windowAt } from '../policy/failureWindow.ts';
import type { ContentType, NewFailures, Webhook } from '../ports/webhookStore.ts';
import type { Scope } from '../../model/serviceKey.ts';

export interface WebhookDetails {
  readonly name: string;
  readonly hookUrl: string;
  readonly active: boolean;
  readonly changeTypes: readonly string[];
  readonly contentType: ContentType;
  readonly signatureHeader: string;
  readonly receiverSignals: boolean;
}

export type WebhookEdit = { readonly [K in keyof Omit<WebhookDetails, 'active'>]: WebhookDetails[K] | undefined };

const PER_SCOPE_AT_MOST = 100;

function targetOf({ id }: Pick<Webhook, 'id'>): string {
  return `webhook ${id}`;
}

function shown(webhook: Webhook): object {
  const { sealed: _, failures: __, ...rest } = webhook;
  return rest;
}

/** For the audit log: everything but what is secret. */
export function audited(action: string, before: Webhook | undefined, after: Webhook | undefined): AuditNote {
  const webhook = after ?? before;
  return {
    action,
    target: webhook === undefined ? 'webhook' : targetOf(webhook),
    ...(before === undefined ? {} : { before: shown(before) }),
    ...(after === undefined ? {} : { after: shown(after) }),
  };
}

export function refuseSameName(name: string, names: readonly string[], scope: Scope): void {
  if (names.includes(name))
    throw new StewardError('conflict', `There is a webhook ${name} of ${scopeInWords(scope)} already.`);
}

export function newWebhook(
  scope: Scope,
  details: WebhookDetails,
  sealed: string,
  { by, now, names }: { readonly by: Actor; readonly now: number; readonly names: readonly string[] },
): Webhook {
  refuseSameName(details.name, names, scope);
  if (names.length >= PER_SCOPE_AT_MOST)
    throw invalidField('name', `${scopeInWords(scope)} has ${PER_SCOPE_AT_MOST} webhooks already; delete some first`);
  return {
    id: newId(),
    scope,
    ...details,
    sealed,
    owner: by.name,
    created: now,
    modified: now,
    revision: 1,
    deactivation: undefined,
    failures: NO_FAILURES,
  };
}

/** Activation empties the failure window. */
export function activated(webhook: Webhook, now: number): Webhook {
  const { revision } = webhook;
  return {
    ...webhook,
    active: true,
    modified: now,
    revision: revision + 1,
    deactivation: undefined,
    failures: NO_FAILURES,
  };
}

export function deactivated(webhook: Webhook, reason: string, now: number): Webhook {
  return {
    ...webhook,
    active: false,
    modified: now,
    revision: webhook.revision + 1,
    deactivation: { reason, at: now },
  };
}

function reasonOf({ policy, isGone }: NewFailures): string {
  if (isGone) return 'The receiver answered 410: it is gone for good.';
  const { numberOfFailures, daysInPast } = policy;
  const failures = numberOfFailures === 1 ? '1 delivery' : `${numberOfFailures} deliveries`;
  return `${failures} failed within ${daysInPast === 1 ? 'a day' : `${daysInPast} days`}.`;
}

/** What is told of a webhook, to those who listen to the system or to its service. */
function about({ id, scope, name, hookUrl }: Webhook): Omit<Announcement, 'type'> {
  return { ...(isSystem(scope) ? {} : { service: scope }), data: { webhookId: id, name, hookUrl } };
}

export function deactivation(webhook: Webhook, more: Readonly<Record<string, unknown>> = {}): Announcement {
  const { data, ...rest } = about(webhook);
  return { type: 'webhook.deactivated', ...rest, data: { ...data, ...more, reason: webhook.deactivation?.reason } };
}

/** Deliveries of one webhook have failed for good: the window, and what it comes to. */
export function afterFailures(seen: NewFailures): Decision<Webhook> {
  const { webhook, policy, failedAt, now, isGone } = seen;
  let { failures } = webhook;
  let [deactivate, isHalfway] = [isGone, false];
  for (const at of failedAt) {
    const verdict = afterFailure(failures, policy, at);
    ({ failures } = verdict);
    deactivate ||= verdict.deactivate;
    isHalfway ||= verdict.isHalfway;
  }
  const counted: Webhook = { ...webhook, failures };
  const numbers = { failures: windowAt(failures, policy, now)?.failures ?? 0, allowed: policy.numberOfFailures };
  if (!webhook.active || !deactivate) {
    const { data, ...rest } = about(webhook);
    const failing = { type: 'webhook.failing', ...rest, data: { ...data, ...numbers } };
    return { change: counted, announce: webhook.active && isHalfway ? [failing] : [], audit: [] };
  }
  const after = deactivated(counted, reasonOf(seen), now);
  return {
    change: after,
    announce: [deactivation(after, numbers)],
    audit: [audited('webhook.deactivate', webhook, after)],
  };
}

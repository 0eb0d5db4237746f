import type { Actor } from '../foundation/actor.ts';
import type { AuditNote, Decision } from '../foundation/decision.ts';
import { StewardError, invalidField } from '../foundation/errors.ts';
import { newId } from '../foundation/ids.ts';
import { NO_FAILURES, afterFailure } from './failureWindow.ts';
import type { ContentType, FailedSeen, Scope, Webhook } from './webhookStore.ts';

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

export const SYSTEM: Scope = { folder: '', name: '', type: '' };

export function isSystem({ folder, name, type }: Scope): boolean {
  return folder === '' && name === '' && type === '';
}

/** `Folder/Name.Type` of the service, or `system`. */
export function scopeInWords(scope: Scope): string {
  if (isSystem(scope)) return 'system';
  return `${scope.folder === '' ? '' : `${scope.folder}/`}${scope.name}.${scope.type}`;
}

export function targetOf({ id }: Pick<Webhook, 'id'>): string {
  return `webhook ${id}`;
}

/** For the audit log: everything but what is secret. */
export function audited(action: string, before: Webhook | undefined, after: Webhook | undefined): AuditNote {
  const shown = (webhook: Webhook): object => {
    const { sealed: _, failures: __, ...rest } = webhook;
    return rest;
  };
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

function reasonOf({ policy, isGone }: FailedSeen): string {
  if (isGone) return 'The receiver answered 410: it is gone for good.';
  const { numberOfFailures, daysInPast } = policy;
  const failures = numberOfFailures === 1 ? '1 delivery' : `${numberOfFailures} deliveries`;
  return `${failures} failed within ${daysInPast === 1 ? 'a day' : `${daysInPast} days`}.`;
}

/** Deliveries of one webhook have failed for good: the window, and what it comes to. */
export function afterFailures(seen: FailedSeen): Decision<Webhook> {
  const { webhook, policy, failedAt, isGone } = seen;
  let { failures } = webhook;
  let [deactivate, halfwayAt, count] = [isGone, undefined as number | undefined, 0];
  for (const at of failedAt) {
    const verdict = afterFailure(failures, policy, at);
    ({ failures, count } = verdict);
    deactivate ||= verdict.deactivate;
    if (verdict.isHalfway) halfwayAt = count;
  }
  const counted: Webhook = { ...webhook, failures };
  const about = { webhookId: webhook.id, name: webhook.name, hookUrl: webhook.hookUrl };
  const service = isSystem(webhook.scope) ? {} : { service: webhook.scope };
  if (!webhook.active || !deactivate) {
    const isFailing = webhook.active && halfwayAt !== undefined;
    const data = { ...about, failures: count, allowed: policy.numberOfFailures };
    return { change: counted, announce: isFailing ? [{ type: 'webhook.failing', ...service, data }] : [], audit: [] };
  }
  const after = deactivated(counted, reasonOf(seen), Math.max(...failedAt, webhook.modified));
  const data = { ...about, failures: count, allowed: policy.numberOfFailures, reason: after.deactivation?.reason };
  return {
    change: after,
    announce: [{ type: 'webhook.deactivated', ...service, data }],
    audit: [audited('webhook.deactivate', webhook, after)],
  };
}

// The rules about one webhook, as pure functions: what a new one looks like, and what activation, deactivation and failed
// deliveries change. subscriptions.ts and the store's settlement apply them.
import { StewardError, invalidField } from '../../foundation/errors.ts';
import { newId } from '../../foundation/ids.ts';
import type { Log } from '../../foundation/log.ts';
import type { Actor } from '../../model/actor.ts';
import type { Announcement, AuditNote, Decision } from '../../model/decision.ts';
import type { NewValues } from '../../model/entity/field.ts';
import { newValues } from '../../model/entity/field.ts';
import { WEBHOOK } from '../../model/entity/webhook.ts';
import type { Scope } from '../../model/serviceKey.ts';
import { isSystem, scopeInWords } from '../../model/serviceKey.ts';
import { NO_FAILURES, afterFailure, windowAt } from '../policy/failureWindow.ts';
import type { NewFailures, Webhook } from '../ports/webhookStore.ts';

const MAX_PER_SCOPE = 100;

/** Masks the query of a URL: receivers have their keys there, and logs and events reach people who may not read the webhook. */
function withoutQuery(hookUrl: string): string {
  const at = hookUrl.indexOf('?');
  return at === -1 ? hookUrl : `${hookUrl.slice(0, at)}?…`;
}

function auditedFields(webhook: Webhook): object {
  const { sealed: _, failures: __, hookUrl, ...rest } = webhook;
  return { ...rest, hookUrl: withoutQuery(hookUrl) };
}

/** Describes a change of a webhook for the audit log, without its secrets. */
export function auditNote(action: string, before: Webhook | undefined, after: Webhook | undefined): AuditNote {
  return {
    action,
    target: `webhook ${(after ?? before)?.id}`,
    ...(before === undefined ? {} : { before: auditedFields(before) }),
    ...(after === undefined ? {} : { after: auditedFields(after) }),
  };
}

export function refuseSameName(name: string, names: readonly string[], scope: Scope): void {
  if (names.includes(name))
    throw new StewardError('conflict', `A webhook named \`${name}\` of ${scopeInWords(scope)} already exists.`);
}

export function newWebhook(
  scope: Scope,
  details: NewValues<typeof WEBHOOK>,
  sealed: string,
  { by, now, names }: { readonly by: Actor; readonly now: number; readonly names: readonly string[] },
): Webhook {
  refuseSameName(details.name, names, scope);
  if (names.length >= MAX_PER_SCOPE)
    throw invalidField(
      'name',
      `${scopeInWords(scope)} has the maximum of ${MAX_PER_SCOPE} webhooks; delete some first`,
    );
  return {
    id: newId(),
    scope,
    ...newValues(WEBHOOK, details),
    sealed,
    owner: by.name,
    created: now,
    modified: now,
    revision: 1,
    deactivation: undefined,
    failures: NO_FAILURES,
  };
}

export function changed(webhook: Webhook, change: Partial<Webhook>, now: number): Webhook {
  return { ...webhook, ...change, modified: now, revision: webhook.revision + 1 };
}

/** Activation clears the failure history. */
export function activated(webhook: Webhook, now: number): Webhook {
  return changed(webhook, { active: true, deactivation: undefined, failures: NO_FAILURES }, now);
}

export function deactivated(webhook: Webhook, reason: string, now: number): Webhook {
  return changed(webhook, { active: false, deactivation: { reason, at: now } }, now);
}

const BY_HAND = 'Deactivated by ';

export function deactivatedBy(name: string): string {
  return `${BY_HAND}\`${name}\`.`;
}

/** Whether the delivery policy or the receiver has deactivated a webhook, and not a person. Stored webhooks tell it by the reason alone. */
export function isDeactivatedByPolicy({ active, deactivation: ended }: Webhook): boolean {
  return !active && ended !== undefined && !ended.reason.startsWith(BY_HAND);
}

export function logDeactivation(
  log: Pick<Log, 'warn'>,
  { id, scope, name, hookUrl, deactivation: ended }: Webhook,
): void {
  const fields = { webhook: id, name, of: scopeInWords(scope), hookUrl: withoutQuery(hookUrl), reason: ended?.reason };
  log.warn(fields, 'a webhook was deactivated; its deliveries are held until it is activated');
}

function reasonOf({ policy, isGone }: NewFailures): string {
  if (isGone) return 'The receiver answered 410 Gone.';
  const { numberOfFailures, daysInPast } = policy;
  const failures = numberOfFailures === 1 ? '1 delivery' : `${numberOfFailures} deliveries`;
  return `${failures} failed within ${daysInPast === 1 ? 'a day' : `${daysInPast} days`}.`;
}

/** An announcement about a webhook. Subscribers of the system and of its service receive it. */
function announcement(type: string, { id, scope, name, hookUrl }: Webhook, more: object): Announcement {
  const data = { webhookId: id, name, hookUrl: withoutQuery(hookUrl), ...more };
  return { type, ...(isSystem(scope) ? {} : { service: scope }), data };
}

export function deactivation(webhook: Webhook, more: object = {}): Announcement {
  return announcement('webhook.deactivated', webhook, { ...more, reason: webhook.deactivation?.reason });
}

/** Counts deliveries that failed finally, and deactivates the webhook when the policy or the receiver says so. */
export function afterFailures(newFailures: NewFailures): Decision<Webhook> {
  const { webhook, policy, failedAt, now, isGone } = newFailures;
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
    const failing = announcement('webhook.failing', webhook, numbers);
    return { change: counted, announce: webhook.active && isHalfway ? [failing] : [], audit: [] };
  }
  const after = deactivated(counted, reasonOf(newFailures), now);
  return {
    change: after,
    announce: [deactivation(after, numbers)],
    audit: [auditNote('webhook.deactivate', webhook, after)],
  };
}

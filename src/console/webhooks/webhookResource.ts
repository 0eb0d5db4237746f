import { at } from '../../wire/client/call.ts';
import { useResource } from '../api/queries.ts';
import { webhookLink } from '../links.ts';
import type { Crumb } from '../parts/layout/PageHead.tsx';
import { SYSTEM, webhooksOf } from './scope.ts';

const READ_EVERY_MS = 3000;

/** Names one webhook. Pages and panels of a webhook have these properties. */
export interface WebhookKey {
  readonly scope: string;
  readonly id: string;
}

/** What the operations on a webhook name in their paths. */
export function namesOf({ scope, id }: WebhookKey) {
  return { service: scope, id };
}

export function useWebhook(key: WebhookKey, { isLive = true }: { readonly isLive?: boolean } = {}) {
  return useResource(at(webhooksOf(key.scope).item, namesOf(key)), { everyMs: isLive ? READ_EVERY_MS : false });
}

export function deliveriesLink({ scope, id }: WebhookKey, filter: Readonly<Record<string, string>> = {}): string {
  const text = new URLSearchParams(filter).toString();
  return `${webhookLink(scope, id)}/deliveries${text === '' ? '' : `?${text}`}`;
}

export function editLink({ scope, id }: WebhookKey): string {
  return `${webhookLink(scope, id)}/edit`;
}

/** The path of pages above a page of a webhook. */
export function webhookCrumbs({ scope, id }: WebhookKey, name?: string): readonly Crumb[] {
  const ofScope = {
    to: `/webhooks?service=${encodeURIComponent(scope)}`,
    text: scope === SYSTEM ? 'System' : scope,
  };
  const own = name === undefined ? [] : [{ to: webhookLink(scope, id), text: name }];
  return [{ to: '/webhooks', text: 'Webhooks' }, ofScope, ...own];
}

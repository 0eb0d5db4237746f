import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { Webhook, WebhookPage } from '../../api/answers.ts';
import { get } from '../../api/client.ts';
import { api } from '../../api/operations.ts';
import { unlessAway } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { scopeOf } from '../scope.ts';

const READ_EVERY_MS = 5000;
/** The first page is small, so that the first rows come at once. */
const [FIRST_PAGE, PAGE] = [50, 1000];
/** More than this many webhooks are not listed at once. */
const MOST = 5000;

export interface WebhookList {
  readonly webhooks: readonly Webhook[];
  /** Whether more are being read. */
  readonly isPart: boolean;
}

/** Of the webhooks of all services, or of those of the system. */
type ListAddress = typeof api.webhooks.all;

function readPage(address: ListAddress, signal: AbortSignal, num: number, after?: string): Promise<WebhookPage> {
  return get(address, { num, after }, signal);
}

/** Reads the pages after this one. */
async function withRest(address: ListAddress, signal: AbortSignal, first: WebhookPage): Promise<readonly Webhook[]> {
  const found = [...first.webhooks];
  for (let { next } = first; next !== null && found.length < MOST;) {
    const page = await readPage(address, signal, PAGE, next);
    found.push(...page.webhooks);
    next = page.next;
  }
  return found;
}

/** The webhooks of all services, and those of the system for administrators. */
export function useWebhooks() {
  const isAdministrator = useMay('administrator');
  const client = useQueryClient();
  const queryKey = [api.webhooks.all, isAdministrator];
  return useQuery<WebhookList>({
    queryKey,
    async queryFn({ signal }) {
      const isFirst = client.getQueryData(queryKey) === undefined;
      const lists = [...(isAdministrator ? [api.systemWebhooks.list] : []), api.webhooks.all];
      const num = isFirst ? FIRST_PAGE : PAGE;
      // Awaited together: of two that are awaited in turn, the failure of the second would be reported by no one.
      const firsts = await Promise.all(lists.map(async (list) => ({ list, page: await readPage(list, signal, num) })));
      if (isFirst && firsts.some(({ page }) => page.next !== null))
        client.setQueryData(queryKey, { webhooks: firsts.flatMap(({ page }) => page.webhooks), isPart: true });
      const parts = await Promise.all(firsts.map(({ list, page }) => withRest(list, signal, page)));
      return { webhooks: parts.flat(), isPart: false };
    },
    refetchInterval: () => unlessAway(READ_EVERY_MS),
  });
}

/** Whether a webhook has all the words in its name, service, address, owner or state. */
export function matches(webhook: Webhook, words: string): boolean {
  const { name, hookUrl, ownerId, changeTypes } = webhook;
  const text = [name, scopeOf(webhook), hookUrl, ownerId, webhook.health, ...changeTypes].join(' ').toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { Webhook, WebhookPage } from '../../api/answers.ts';
import { get } from '../../api/client.ts';
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

function readPage(path: string, signal: AbortSignal, num: number, after?: string): Promise<WebhookPage> {
  return get<WebhookPage>(path, { num, after }, signal);
}

/** Reads the pages after this one. */
async function withRest(path: string, signal: AbortSignal, first: WebhookPage): Promise<readonly Webhook[]> {
  const found = [...first.webhooks];
  for (let { next } = first; next !== null && found.length < MOST;) {
    const page = await readPage(path, signal, PAGE, next);
    found.push(...page.webhooks);
    next = page.next;
  }
  return found;
}

/** The webhooks of all services, and those of the system for administrators. */
export function useWebhooks() {
  const isAdministrator = useMay('administrator');
  const client = useQueryClient();
  const queryKey = ['/services/webhooks', isAdministrator];
  return useQuery<WebhookList>({
    queryKey,
    async queryFn({ signal }) {
      const isFirst = client.getQueryData(queryKey) === undefined;
      const paths = [...(isAdministrator ? ['/system/webhooks'] : []), '/services/webhooks'];
      // Awaited together: of two that are awaited in turn, the failure of the second would be reported by no one.
      const firsts = await Promise.all(paths.map((path) => readPage(path, signal, isFirst ? FIRST_PAGE : PAGE)));
      if (isFirst && firsts.some(({ next }) => next !== null))
        client.setQueryData(queryKey, { webhooks: firsts.flatMap(({ webhooks }) => webhooks), isPart: true });
      const parts = await Promise.all(firsts.map((first, n) => withRest(paths[n] ?? '', signal, first)));
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

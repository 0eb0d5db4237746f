import { useQuery } from '@tanstack/react-query';
import type { Webhook, WebhookPage } from '../../api/answers.ts';
import { get } from '../../api/client.ts';
import { useMay } from '../../app/session.ts';
import { scopeOf } from '../scope.ts';

const READ_EVERY_MS = 5000;
const PAGE = 1000;
/** More than this many webhooks are not listed at once. */
const MOST = 5000;

async function readAll(path: string, signal: AbortSignal): Promise<readonly Webhook[]> {
  const found: Webhook[] = [];
  let after: string | undefined;
  do {
    const page: WebhookPage = await get<WebhookPage>(path, { num: PAGE, after }, signal);
    found.push(...page.webhooks);
    after = page.next ?? undefined;
  } while (after !== undefined && found.length < MOST);
  return found;
}

/** The webhooks of all services, and those of the system for administrators. */
export function useWebhooks() {
  const isAdministrator = useMay('administrator');
  return useQuery<readonly Webhook[]>({
    queryKey: ['/services/webhooks', isAdministrator],
    async queryFn({ signal }) {
      // Awaited together: of two that are awaited in turn, the failure of the second would be reported by no one.
      const parts = await Promise.all([
        isAdministrator ? readAll('/system/webhooks', signal) : [],
        readAll('/services/webhooks', signal),
      ]);
      return parts.flat();
    },
    refetchInterval: READ_EVERY_MS,
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

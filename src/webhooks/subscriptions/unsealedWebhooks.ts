import { createBatcher } from '../../foundation/flow/batcher.ts';
import { createBoundedCache } from '../../foundation/cache/boundedCache.ts';
import type { Sealer } from '../../foundation/sealer.ts';
import type { Webhook, WebhookStore } from '../ports/webhookStore.ts';
import { signingKeysOf, unsealSecrets } from './secrets.ts';

const MAX_WEBHOOKS = 10_000;
const MAX_BYTES = 64 * 1024 * 1024;

/** Decrypts the secrets of a webhook, so that it is ready to sign and send. */
export function unsealWebhook(sealer: Sealer, webhook: Webhook) {
  return { webhook, signing: signingKeysOf(unsealSecrets(sealer, webhook.sealed)) };
}

export type UnsealedWebhook = ReturnType<typeof unsealWebhook>;

/** Reads and unseals each revision of a webhook once. */
export function createUnsealedWebhooks(store: Pick<WebhookStore, 'webhooksByNumber'>, sealer: Sealer) {
  const cache = createBoundedCache<number, UnsealedWebhook>(MAX_WEBHOOKS, {
    maxBytes: MAX_BYTES,
    // The custom headers decide; they are in the sealed text and beside it.
    sizeOf: ({ webhook }) => 2 * webhook.sealed.length + webhook.hookUrl.length,
  });
  const read = createBatcher<number, Webhook | undefined>({
    async commit(numbers) {
      const found = await store.webhooksByNumber([...new Set(numbers)]);
      return numbers.map((number) => found.get(number));
    },
  });

  function cached(number: number, revision: number): UnsealedWebhook | undefined {
    const found = cache.get(number);
    return found === undefined || found.webhook.revision < revision ? undefined : found;
  }

  return {
    /** Finds a webhook at this revision or a later one; undefined when it was removed. */
    async find(number: number, revision: number): Promise<UnsealedWebhook | undefined> {
      const known = cached(number, revision);
      if (known !== undefined) return known;
      const webhook = await read(number);
      if (webhook === undefined) return undefined;
      // Another delivery for which it was read may have unsealed it.
      return cached(number, webhook.revision) ?? cache.set(number, unsealWebhook(sealer, webhook));
    },
  };
}

export type UnsealedWebhooks = ReturnType<typeof createUnsealedWebhooks>;

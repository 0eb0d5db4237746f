import { SECOND } from '../../foundation/clock.ts';
import type { Sealer } from '../../foundation/sealer.ts';
import { bodySignatureOf, signatureOf } from '../../model/webhookSignature.ts';
import { encoded } from './event.ts';
import type { AttemptRequest } from '../ports/receiver.ts';
import type { SigningKeys } from '../subscriptions/secrets.ts';
import { openSecrets, signingKeysOf } from '../subscriptions/secrets.ts';
import type { Webhook, WebhookStore } from '../ports/webhookStore.ts';

interface Known {
  readonly webhook: Webhook;
  readonly signing: SigningKeys;
}

const REMEMBERED_AT_MOST = 10_000;

export interface Message {
  readonly id: string;
  readonly attempt: number;
  readonly body: string;
}

export function signedRequest(
  { webhook, signing }: Known,
  message: Message,
  { now, timeoutMs }: { readonly now: number; readonly timeoutMs: number },
): AttemptRequest {
  const seconds = Math.floor(now / SECOND);
  const body = encoded(message.body, webhook.contentType);
  const keys = signing.keys.filter(({ until }) => until > now).map(({ key }) => key);
  const [newest] = keys;
  const headers: Record<string, string> = {
    'user-agent': 'Steward',
    ...signing.headers,
    'content-type': webhook.contentType,
    'webhook-id': message.id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': signatureOf(keys, message.id, seconds, body),
    'webhook-attempt': String(message.attempt),
  };
  if (webhook.signatureHeader !== '' && newest !== undefined)
    headers[webhook.signatureHeader] = bodySignatureOf(newest, body);
  return { url: webhook.hookUrl, headers, body, timeoutMs };
}

/** What is needed to sign and send, opened once for each revision of a webhook. */
export function createOutgoing({ store, sealer }: { readonly store: WebhookStore; readonly sealer: Sealer }) {
  const known = new Map<number, Known>();

  function open(webhook: Webhook): Known {
    return { webhook, signing: signingKeysOf(openSecrets(sealer, webhook.sealed)) };
  }

  async function find(number: number, revision: number): Promise<Known | undefined> {
    const before = known.get(number);
    if (before !== undefined && before.webhook.revision >= revision) return before;
    const webhook = await store.webhookByNumber(number);
    if (webhook === undefined) return undefined;
    const opened = open(webhook);
    if (known.size >= REMEMBERED_AT_MOST) known.clear();
    known.set(number, opened);
    return opened;
  }

  return { find, open };
}

export type Outgoing = ReturnType<typeof createOutgoing>;

import { SECOND } from '../../foundation/clock.ts';
import { bodySignatureOf, signatureOf } from '../../model/webhookSignature.ts';
import type { AttemptRequest } from '../ports/receiver.ts';
import type { UnsealedWebhook } from '../subscriptions/unsealedWebhooks.ts';

export function signedRequest(
  { webhook, signing }: UnsealedWebhook,
  message: { readonly id: string; readonly attempt: number; readonly body: string },
  { now, timeoutMs }: { readonly now: number; readonly timeoutMs: number },
): AttemptRequest {
  const seconds = Math.floor(now / SECOND);
  const isJson = webhook.contentType === 'application/json';
  const body = isJson ? message.body : `payload=${encodeURIComponent(message.body)}`;
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

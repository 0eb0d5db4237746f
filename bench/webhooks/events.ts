import { bodyOf } from '../../src/webhooks/events/event.ts';

export const EVENT = 'thing.changed';

/** About 330 bytes when it is sent. */
export function payloadOf(n: number): string {
  return JSON.stringify({ n, text: 'x'.repeat(200) });
}

/** The service that the webhook with this number belongs to. */
export const serviceOf = (n: number) => ({ folder: '', name: `Service_${n}`, type: 'Query' });

/** The body that Steward sends for such an event. */
export function sentBody(n: number): string {
  const event = { id: '', scope: serviceOf(0), eventId: undefined, type: EVENT, at: Date.now(), payload: payloadOf(n) };
  return bodyOf(event, n);
}

import { createBatcher } from '../../foundation/batcher.ts';
import type { WebhookStore } from '../ports/webhookStore.ts';
import type { Acceptance, AcceptedEvent, NewEvent } from '../ports/acceptance.ts';
import { audienceOfEvent } from './audience.ts';
import { bodyOf } from './event.ts';

const MAX_EVENTS_PER_COMMIT = 100;

/**
 * Returns a function that stores events and their deliveries and resolves when they are durable. Calls are batched: events of
 * one service share a counter, and with one transaction for each call every sender would wait for all the others.
 */
export function createEventAcceptance(
  store: Pick<WebhookStore, 'accept'>,
  onAccepted: (acceptance: Acceptance) => void,
) {
  return createBatcher<readonly NewEvent[], readonly AcceptedEvent[]>({
    weightOf: (events) => events.length,
    maxWeight: MAX_EVENTS_PER_COMMIT,
    async commit(calls) {
      const acceptance = await store.accept(calls.flat(), { bodyOf, audience: audienceOfEvent });
      onAccepted(acceptance);
      let from = 0;
      return calls.map((events) => acceptance.events.slice(from, (from += events.length)));
    },
  });
}

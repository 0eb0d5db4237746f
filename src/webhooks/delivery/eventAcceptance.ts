import { bodyOf } from './event.ts';
import type { AcceptedEvent, NewEvent, WebhookStore } from '../ports/webhookStore.ts';

interface Waiting {
  readonly events: readonly NewEvent[];
  readonly resolve: (accepted: readonly AcceptedEvent[]) => void;
  readonly reject: (error: unknown) => void;
}

const EVENTS_AT_ONCE = 100;

/**
 * All that comes while the last ones are being committed is committed together: events of one service share a counter,
 * and one transaction for each of them would make every sender wait for all the others.
 */
export function createAcceptance(needs: {
  readonly store: WebhookStore;
  readonly onAccepted: (wake: readonly number[], events: number) => void;
}) {
  const waiting: Waiting[] = [];
  let isWorking = false;

  function take(): readonly Waiting[] {
    let [events, n] = [0, 0];
    while (n < waiting.length && (n === 0 || events + (waiting[n]?.events.length ?? 0) <= EVENTS_AT_ONCE)) {
      events += waiting[n]?.events.length ?? 0;
      n += 1;
    }
    return waiting.splice(0, n);
  }

  async function commit(batch: readonly Waiting[]): Promise<void> {
    try {
      const { events, dueWebhooks: wake } = await needs.store.accept(
        batch.flatMap((one) => one.events),
        bodyOf,
      );
      needs.onAccepted(wake, events.filter(({ isRepeat }) => !isRepeat).length);
      let from = 0;
      for (const one of batch) one.resolve(events.slice(from, (from += one.events.length)));
    } catch (error) {
      for (const one of batch) one.reject(error);
    }
  }

  async function workOff(): Promise<void> {
    isWorking = true;
    while (waiting.length > 0) await commit(take());
    isWorking = false;
  }

  /** Resolves when the events and their deliveries are safe. */
  return (events: readonly NewEvent[]): Promise<readonly AcceptedEvent[]> =>
    new Promise((resolve, reject) => {
      waiting.push({ events, resolve, reject });
      if (!isWorking) void workOff();
    });
}

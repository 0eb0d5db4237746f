import { expect, test } from 'vitest';
import type { Acceptance, NewEvent } from '../ports/acceptance.ts';
import { createEventAcceptance } from './event.ts';

function eventsOf(...ids: readonly string[]): readonly NewEvent[] {
  const scope = { folder: '', name: '', type: '' };
  return ids.map((id) => ({ id, scope, eventId: undefined, type: 'thing', at: 0, payload: '{}' }));
}

/** A store that remembers the ids of each transaction. */
function recordingStore() {
  const transactions: (readonly string[])[] = [];
  return {
    transactions,
    async accept(events: readonly NewEvent[]): Promise<Acceptance> {
      transactions.push(events.map(({ id }) => id));
      await new Promise(setImmediate);
      if (events.some(({ id }) => id === 'bad')) throw new Error('the store is away');
      const accepted = events.map(({ id }, sequence) => {
        return { id, eventId: undefined, sequence, deliveries: 1, isRepeat: false };
      });
      return { events: accepted, dueWebhooks: [events.length] };
    },
  };
}

test('calls that come during a transaction share the next one, and each gets its own events back', async () => {
  const store = recordingStore();
  const accept = createEventAcceptance(store, () => {});
  const results = await Promise.all([eventsOf('a'), eventsOf('b', 'c'), eventsOf('d')].map(accept));
  expect(store.transactions).toEqual([['a'], ['b', 'c', 'd']]);
  expect(results.map((events) => events.map(({ id }) => id))).toEqual([['a'], ['b', 'c'], ['d']]);
});

test('a transaction has at most 100 events, unless a single call has more', async () => {
  const store = recordingStore();
  const accept = createEventAcceptance(store, () => {});
  const many = (count: number) => eventsOf(...Array.from({ length: count }, (_, n) => String(n)));
  await Promise.all([1, 60, 40, 1, 150, 2].map((count) => accept(many(count))));
  expect(store.transactions.map((ids) => ids.length)).toEqual([1, 100, 1, 150, 2]);
});

test('each transaction is reported once, before its callers continue', async () => {
  const reported: string[] = [];
  const accept = createEventAcceptance(recordingStore(), ({ dueWebhooks }) =>
    reported.push(`due ${dueWebhooks.join()}`),
  );
  await Promise.all(['a', 'b', 'c'].map((id) => accept(eventsOf(id)).then(() => reported.push(id))));
  expect(reported).toEqual(['due 1', 'a', 'due 2', 'b', 'c']);
});

test('a failed transaction rejects its calls and no others', async () => {
  const accept = createEventAcceptance(recordingStore(), () => {});
  const results = await Promise.allSettled([eventsOf('a'), eventsOf('bad'), eventsOf('c')].map(accept));
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
  await expect(accept(eventsOf('d'))).resolves.toHaveLength(1);
});

import { expect, test } from 'vitest';
import type { Acceptance, NewEvent } from '../ports/acceptance.ts';
import { createEventAcceptance } from './event.ts';

function eventsOf(...ids: readonly string[]): readonly NewEvent[] {
  const scope = { folder: '', name: '', type: '' };
  return ids.map((id) => ({ id, scope, eventId: undefined, type: 'thing', at: 0, payload: '{}' }));
}

/** A store that remembers the ids of each transaction. */
const atOnce = <T>(accept: () => Promise<T>): Promise<T> => accept();

function recordingStore() {
  const transactions: (readonly string[])[] = [];
  return {
    transactions,
    async accept(requests: readonly (readonly NewEvent[])[]): Promise<Acceptance> {
      const events = requests.flat();
      transactions.push(events.map(({ id }) => id));
      await new Promise(setImmediate);
      if (events.some(({ id }) => id === 'bad')) throw new Error('the store is away');
      const acceptedOf = ({ id }: NewEvent, sequence: number) => {
        return { id, eventId: undefined, sequence, deliveries: 1, isRepeat: false };
      };
      const results = requests.map((request) => ({ kind: 'accepted' as const, events: request.map(acceptedOf) }));
      return { results, dueWebhooks: [events.length] };
    },
  };
}

test('calls that come during a transaction share the next one, and each gets its own events back', async () => {
  const store = recordingStore();
  const accept = createEventAcceptance(store, atOnce, () => {});
  const results = await Promise.all([eventsOf('a'), eventsOf('b', 'c'), eventsOf('d')].map(accept));
  expect(store.transactions).toEqual([['a'], ['b', 'c', 'd']]);
  expect(results).toMatchObject([['a'], ['b', 'c'], ['d']].map((ids) => ({ events: ids.map((id) => ({ id })) })));
});

test('a transaction has at most 100 events, unless a single call has more', async () => {
  const store = recordingStore();
  const accept = createEventAcceptance(store, atOnce, () => {});
  const many = (count: number) => eventsOf(...Array.from({ length: count }, (_, n) => String(n)));
  await Promise.all([1, 60, 40, 1, 150, 2].map((count) => accept(many(count))));
  expect(store.transactions.map((ids) => ids.length)).toEqual([1, 100, 1, 150, 2]);
});

test('each transaction is reported once, before its callers continue', async () => {
  const reported: string[] = [];
  const accept = createEventAcceptance(recordingStore(), atOnce, ({ dueWebhooks }) =>
    reported.push(`due ${dueWebhooks.join()}`),
  );
  await Promise.all(['a', 'b', 'c'].map((id) => accept(eventsOf(id)).then(() => reported.push(id))));
  expect(reported).toEqual(['due 1', 'a', 'due 2', 'b', 'c']);
});

test('a failed transaction rejects its calls and no others', async () => {
  const accept = createEventAcceptance(recordingStore(), atOnce, () => {});
  const results = await Promise.allSettled([eventsOf('a'), eventsOf('bad'), eventsOf('c')].map(accept));
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
  await expect(accept(eventsOf('d'))).resolves.toMatchObject({ kind: 'accepted', events: [{ id: 'd' }] });
});

import { expect, test } from 'vitest';
import { localActor } from '../model/actor.ts';
import { eachStore, placeForEachTest } from '../../test/support/store/stores.ts';
import type { JobSnapshot } from './jobFeed.ts';
import { createJobFeed } from './jobFeed.ts';
import type { JobStore } from './jobStore.ts';
import { newJob } from './jobStore.ts';

const BY = localActor('test');

/** Counts the reads of messages. */
function counting(store: JobStore): JobStore & { readonly reads: () => number } {
  let reads = 0;
  return {
    ...store,
    reads: () => reads,
    messages: (id, after) => {
      reads += 1;
      return store.messages(id, after);
    },
  };
}

eachStore((kind) => {
  const at = placeForEachTest(kind);

  async function opened() {
    const { jobs } = await at.open();
    const job = newJob({ id: 'one', kind: 'k', task: {}, cursor: {}, total: 3, startedBy: 'x', started: 1 });
    await jobs.addJob(BY, () => ({ change: job, announce: [], audit: [] }));
    const claimed = await jobs.claimJob('me', ['k'], Date.now(), Date.now() + 60_000);
    if (claimed === undefined) throw new Error('the job cannot be claimed');
    const store = counting(jobs);
    const say = (text: string) => jobs.append(claimed.lease, () => ({ messages: [{ code: 1, text }] }));
    return { store, feed: createJobFeed({ store, catchUp: async () => undefined }), say };
  }

  test('[UPG1] a message is read once, however many followers there are', async () => {
    const { store, feed, say } = await opened();
    await say('first');
    const before = await feed.read('one');
    expect(before.messages.map(({ text }) => text)).toEqual(['first']);
    expect(await feed.read('one')).toBe(before);
    expect(store.reads()).toBe(1);
    const received: JobSnapshot[][] = Array.from({ length: 200 }, () => []);
    const unfollow = received.map((list) => feed.follow('one', (snapshot) => list.push(snapshot)));
    await say('second');
    feed.invalidate();
    await expect.poll(() => received.every((list) => list.length === 1)).toBe(true);
    expect(store.reads()).toBe(2);
    expect(received[7]?.[0]?.messages.map(({ number, text }) => [number, text])).toEqual([
      [1, 'first'],
      [2, 'second'],
    ]);
    for (const end of unfollow) end();
    await say('third');
    feed.invalidate();
    expect((await feed.read('one')).messages).toHaveLength(3);
    expect(received.every((list) => list.length === 1)).toBe(true);
  });

  test('[UPG1] a follower is not called if nothing has changed', async () => {
    const { feed } = await opened();
    const first = await feed.read('one');
    let calls = 0;
    feed.follow('one', () => (calls += 1));
    feed.invalidate();
    expect(await feed.read('one')).toBe(first);
    expect(calls).toBe(0);
    await expect(feed.read('other')).rejects.toThrow('No job with the id `other`.');
  });
});

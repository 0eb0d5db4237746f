import { expect, test } from 'vitest';
import { localActor } from '../model/actor.ts';
import { eachStore, placeForEachTest } from '../../test/support/store/stores.ts';
import type { JobSnapshot } from './jobFeed.ts';
import { createJobFeed } from './jobFeed.ts';
import type { JobStore } from './jobStore.ts';
import { newJob } from './jobStore.ts';

const BY = localActor('test');

/** The same port, with its reads counted. */
function counting(store: JobStore): JobStore & { readonly reads: () => number } {
  let reads = 0;
  return {
    ...store,
    reads: () => reads,
    entries: (id, after) => {
      reads += 1;
      return store.entries(id, after);
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
    if (claimed === undefined) throw new Error('the job cannot be had');
    const store = counting(jobs);
    const say = (text: string) => jobs.append(claimed.lease, { say: [{ code: 1, text }] });
    return { store, feed: createJobFeed({ store }), say };
  }

  test('[UPG1] old messages are never read again, and a new one once however many follow', async () => {
    const { store, feed, say } = await opened();
    await say('first');
    const before = await feed.read('one');
    expect(before.entries.map(({ text }) => text)).toEqual(['first']);
    expect(await feed.read('one')).toBe(before);
    expect(store.reads()).toBe(1);
    const told: JobSnapshot[][] = Array.from({ length: 200 }, () => []);
    const unfollow = told.map((list) => feed.follow('one', { tell: (snapshot) => list.push(snapshot) }));
    await say('second');
    feed.invalidate();
    await expect.poll(() => told.every((list) => list.length === 1)).toBe(true);
    expect(store.reads()).toBe(2);
    expect(told[7]?.[0]?.entries.map(({ number, text }) => [number, text])).toEqual([
      [1, 'first'],
      [2, 'second'],
    ]);
    for (const end of unfollow) end();
    await say('third');
    feed.invalidate();
    expect((await feed.read('one')).entries).toHaveLength(3);
    expect(told.every((list) => list.length === 1)).toBe(true);
  });

  test('[UPG1] nobody is told where nothing is new', async () => {
    const { feed } = await opened();
    const first = await feed.read('one');
    let told = 0;
    feed.follow('one', { tell: () => (told += 1) });
    feed.invalidate();
    expect(await feed.read('one')).toBe(first);
    expect(told).toBe(0);
    await expect(feed.read('other')).rejects.toThrow('There is no job other.');
  });
});

import { beforeEach, describe, expect, test } from 'vitest';
import { intercept } from '../../../test/support/clock/intercept.ts';
import { manualClock } from '../../../test/support/clock/manualClock.ts';
import { changeRows, eachStore, placeForEachTest } from '../../../test/support/store/stores.ts';
import { DAY, MINUTE } from '../../foundation/clock.ts';
import type { Store } from '../../store/store.ts';
import { createAuditLog, prunedBefore } from './auditLog.ts';
import type { AuditEntry, AuditFilter, AuditStore } from './auditStore.ts';

const TODAY = Date.UTC(2026, 5, 15);
const NOW = TODAY + 14 * 60 * MINUTE;
const SIGNAL = new AbortController().signal;

test('[DEC70] the limit is the end of a day in UTC, so that an entry is kept for at least the given days', () => {
  expect(prunedBefore(TODAY, 1)).toBe(TODAY - DAY);
  expect(prunedBefore(TODAY + DAY - 1, 1)).toBe(TODAY - DAY);
  expect(prunedBefore(TODAY + DAY, 30)).toBe(TODAY - 29 * DAY);
});

eachStore((kind) => {
  const at = placeForEachTest(kind);
  let clock: ReturnType<typeof manualClock>;
  let store: Store;

  beforeEach(async () => {
    clock = manualClock(NOW);
    store = await at.open(clock);
  });

  const logOn = (auditRetentionDays?: number, port: AuditStore = store.access) =>
    createAuditLog({ store: port, clock, auditRetentionDays });

  /** Adds entries of one time, all in one transaction. */
  async function addEntries(count: number, when: number, who = 'ann'): Promise<void> {
    await changeRows(
      at.place(),
      `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${count})
       insert into audit (at, who, address, request_id, action, target, after_state)
       select ${when}, '${who}', '192.0.2.1', 'r' || n, 'service.edit', 'service A.Map', '{"n":' || n || '}' from numbers`,
    );
  }

  async function exported(filter: AuditFilter & { readonly after?: number } = {}): Promise<readonly AuditEntry[]> {
    const entries: AuditEntry[] = [];
    for await (const page of logOn().export(filter)) entries.push(...page);
    return entries;
  }

  const all = () => store.access.audit({ limit: 10_000 });

  describe('[DEC69] the export', () => {
    test('an empty log has no entries, and any other one has all of them, oldest first', async () => {
      expect(await exported()).toEqual([]);
      await addEntries(1203, NOW);
      expect(await exported()).toEqual((await all()).toReversed());
    });

    test('entries are selected by the fields of the audit log, and after an id', async () => {
      await addEntries(700, NOW - DAY);
      await addEntries(3, NOW, 'eve');
      const byEve = (await store.access.audit({ who: 'eve', limit: 9 })).toReversed();
      expect(await exported({ who: 'eve' })).toEqual(byEve);
      expect(await exported({ since: NOW })).toEqual(byEve);
      expect(await exported({ until: NOW })).toHaveLength(700);
      expect(await exported({ target: 'service B.Map' })).toEqual([]);
      const [first, second] = byEve;
      expect(await exported({ after: first?.id ?? 0, until: NOW + 1 })).toEqual(byEve.slice(1));
      expect(await exported({ after: second?.id ?? 0, who: 'ann' })).toEqual([]);
      expect(await exported({ after: Number.MAX_SAFE_INTEGER })).toEqual([]);
    });

    test('a page is read only when the previous one was taken, and is never larger than 500 entries', async () => {
      await addEntries(1203, NOW);
      const calls: string[] = [];
      const port = intercept(store.access, (name, call) => {
        calls.push(name);
        return call();
      });
      const pages = logOn(undefined, port).export({})[Symbol.asyncIterator]();
      expect((await pages.next()).value).toHaveLength(500);
      expect(calls).toEqual(['auditIds', 'auditRange']);
      expect((await pages.next()).value).toHaveLength(500);
      expect((await pages.next()).value).toHaveLength(203);
      expect((await pages.next()).done).toBe(true);
      expect(calls).toHaveLength(4);
    });

    test('entries that are added during an export are not in it', async () => {
      await addEntries(2, NOW);
      const pages = logOn().export({})[Symbol.asyncIterator]();
      expect((await pages.next()).value).toHaveLength(2);
      await addEntries(2, NOW);
      expect((await pages.next()).done).toBe(true);
    });
  });

  describe('[DEC70] the retention', () => {
    test('without a limit, nothing is removed', async () => {
      await addEntries(2, 0);
      await logOn().prune(SIGNAL);
      expect(await all()).toHaveLength(2);
    });

    test('older entries are removed in batches, and one entry says how many', async () => {
      await addEntries(1203, TODAY - 30 * DAY - 1);
      await addEntries(2, TODAY - 30 * DAY);
      await logOn(30).prune(SIGNAL);
      const [summary, ...kept] = await all();
      expect(kept.map(({ when }) => when)).toEqual([TODAY - 30 * DAY, TODAY - 30 * DAY]);
      expect(summary).toMatchObject({
        when: NOW,
        who: 'steward',
        action: 'audit.prune',
        target: 'audit log',
        after: { entriesBefore: TODAY - 30 * DAY, removed: 1203 },
      });
      await logOn(30).prune(SIGNAL);
      expect(await all()).toHaveLength(3);
    });

    test('on a day without old entries, no entry is written', async () => {
      await addEntries(2, NOW);
      const log = logOn(1);
      await log.prune(SIGNAL);
      expect(await all()).toHaveLength(2);
      clock.advance(2 * DAY);
      await log.prune(SIGNAL);
      expect(await all()).toMatchObject([{ action: 'audit.prune', after: { removed: 2 } }]);
    });

    test('a longer retention brings nothing back and removes nothing', async () => {
      await addEntries(1, NOW - 3 * DAY);
      await logOn(1).prune(SIGNAL);
      await logOn(100).prune(SIGNAL);
      expect(await all()).toMatchObject([{ after: { removed: 1 } }]);
    });

    test('while one replica prunes, another does not, and continues when the first has died', async () => {
      await addEntries(1203, NOW - 9 * DAY);
      const [one, other] = [logOn(1), logOn(1)];
      const stopping = new AbortController();
      const dying = intercept(store.access, async (name, call) => {
        const answer = await call();
        if (name === 'pruneAudit') stopping.abort();
        return answer;
      });
      await logOn(1, dying).prune(stopping.signal);
      await one.prune(SIGNAL);
      expect(await store.access.audit({ who: 'ann', limit: 10_000 })).toHaveLength(703);
      clock.advance(MINUTE + 1);
      await Promise.all([one.prune(SIGNAL), other.prune(SIGNAL)]);
      await one.prune(SIGNAL);
      expect(await all()).toMatchObject([{ action: 'audit.prune', after: { removed: 1203 } }]);
    });
  });
});

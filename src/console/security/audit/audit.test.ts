import { expect, test } from 'vitest';
import type { AuditEntry } from '../answers.ts';
import { matchingEntries, rangeOf } from './auditSearch.ts';

const NOON = new Date(2026, 10, 16, 12).getTime();
const HOUR = 3_600_000;

function entry(id: number, when: number, who: string): AuditEntry {
  const target = 'service Finance/Invoices.Query';
  return {
    id,
    when,
    who,
    from: '10.0.0.1',
    requestId: 'r',
    action: 'service.edit',
    target,
    after: { access: 'public' },
  };
}

const entries = [entry(3, NOON, 'ann'), entry(2, NOON - 20 * HOUR, 'bob'), entry(1, NOON - 40 * HOUR, 'ann')];

test.each([
  ['', [3, 2, 1]],
  ['ann invoices', [3, 1]],
  ['PUBLIC', [3, 2, 1]],
  ['carl', []],
])('the search %j finds %j', (search, ids) => {
  expect(matchingEntries(entries, search).map(({ id }) => id)).toEqual(ids);
});

test.each([
  ['today', [3]],
  ['yesterday', [2]],
  ['week', [3, 2, 1]],
] as const)('the period %j has the entries %j', (period, ids) => {
  const { since = 0, until = Infinity } = rangeOf(period, NOON);
  expect(entries.filter(({ when }) => when >= since && when < until).map(({ id }) => id)).toEqual(ids);
});

import { expect, test } from 'vitest';
import { updateAction } from './reloadRule.ts';

const OUTDATED = { page: '1.0', server: '1.1', reloadedFor: [], wouldLoseInput: false };

test('a tab of the version of the server does nothing', () => {
  expect(updateAction({ ...OUTDATED, server: '1.0' })).toBe('nothing');
});

test('an outdated tab reloads, and shows a notice where that would lose input', () => {
  expect(updateAction(OUTDATED)).toBe('reload');
  expect(updateAction({ ...OUTDATED, wouldLoseInput: true })).toBe('notice');
});

test('a tab between an old and a new replica reloads once for each version at most', () => {
  const reloadedFor: string[] = [];
  const reloads = [];
  for (const [page, server] of [
    ['1.0', '1.1'],
    ['1.0', '1.1'],
    ['1.1', '1.0'],
    ['1.0', '1.1'],
    ['1.1', '1.0'],
  ] as const)
    if (updateAction({ page, server, reloadedFor, wouldLoseInput: false }) === 'reload') {
      reloads.push(server);
      reloadedFor.push(server);
    }
  expect(reloads).toEqual(['1.1', '1.0']);
});

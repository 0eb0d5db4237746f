import { expect, test } from 'vitest';
import { parse } from './sources.ts';
import { wallTimeUses } from './wallTime.ts';

test.each([
  ["import { setTimeout as delay } from 'node:timers/promises';", ['a.ts:1 node:timers/promises', 'a.ts:1 setTimeout']],
  ['await new Promise((resolve) => setTimeout(resolve, 50));', ['a.ts:1 setTimeout']],
  ['const began = performance.now();', ['a.ts:1 performance']],
  ['await vi.waitFor(isThere);', ['a.ts:1 waitFor']],
  ['request.setTimeout(1000, give.up);', []],
  ["vi.useFakeTimers({ toFake: ['setTimeout'] }); setTimeout(run, 1);", []],
])('in %s the guard of wall time finds %j', (text, problems) => {
  expect(wallTimeUses(parse('a.ts', text))).toEqual(expect.arrayContaining(problems));
  expect(wallTimeUses(parse('a.ts', text)).length > 0).toBe(problems.length > 0);
});

import { expect, test } from 'vitest';
import { castsIn, forbiddenCasts, roomsAboveLimit } from './casts.ts';
import { parse } from './sources.ts';

test('a cast is found and counted for its room, and "as const" is not', () => {
  const text = 'const a = b as Plan;\nconst c = d as readonly string[];\nconst e = [1] as const;\n';
  const found = castsIn(parse('src/jobs/a.ts', text));
  expect(found).toEqual([
    { at: 'src/jobs/a.ts:1', type: 'Plan' },
    { at: 'src/jobs/a.ts:2', type: 'readonly string[]' },
  ]);
  expect(forbiddenCasts(found)).toEqual(['src/jobs/a.ts:1 as Plan']);
  expect(roomsAboveLimit(found, { jobs: 2 })).toEqual([]);
  expect(roomsAboveLimit(found, { jobs: 1 })).toEqual([expect.stringContaining('jobs may have 1 casts and has 2')]);
});

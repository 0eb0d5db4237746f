import { expect, test } from 'vitest';
import { castsIn, forbiddenCasts, roomsAboveLimit } from './casts.ts';
import { isTest, parse, readSources } from './sources.ts';

/** How many casts each room has. These numbers may only fall. */
const LIMITS: Readonly<Record<string, number>> = {
  cli: 5,
  demo: 3,
  drivers: 11,
  foundation: 2,
  console: 3,
  http: 17,
  service: 3,
  store: 6,
  upgrades: 1,
  wire: 5,
};

const casts = [...readSources(['src'])]
  .filter(([path]) => !isTest(path))
  .flatMap(([path, text]) => castsIn(parse(path, text)));

test('no room has more casts than before', () => {
  expect(roomsAboveLimit(casts, LIMITS)).toEqual([]);
});

test('no limit is higher than it need be', () => {
  const spare = Object.entries(LIMITS).filter(
    ([room, limit]) => roomsAboveLimit(casts, { ...LIMITS, [room]: limit - 1 }).length === 0,
  );
  expect(spare).toEqual([]);
});

test('what recovery depends on is never cast', () => {
  expect(forbiddenCasts(casts)).toEqual([]);
});

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

// The guards that look at the syntax of every file. They are in one test file, so that each file is parsed once.
import { expect, test } from 'vitest';
import { MESSAGES } from '../../src/upgrades/journal/messages.ts';
import type { Cast } from './casts.ts';
import { castsIn, forbiddenCasts, roomsAboveLimit } from './casts.ts';
import { longFunctions } from './functionLength.ts';
import { codeNumbers } from './messageCodes.ts';
import { isTest, parse, readSources } from './sources.ts';
import { wallTimeUses } from './wallTime.ts';
import { wordProblems } from './words.ts';

/** How many casts each room has. These numbers may only fall. */
const LIMITS: Readonly<Record<string, number>> = {
  cli: 5,
  demo: 3,
  drivers: 11,
  foundation: 2,
  console: 3,
  http: 17,
  // What follows from the table of an entity is believed in one place.
  model: 1,
  service: 3,
  store: 6,
  upgrades: 1,
  wire: 5,
};

/** Waits for conditions, for all other tests; and a network that takes time. */
const MAY_WAIT = new Set(['test/support/run/until.ts', 'test/support/connections/networkProxy.ts']);

const CODES = new Set(Object.values(MESSAGES).map(({ code }): number => code));

/** The table itself, and the list of the interface that it is compared with. */
const MAY_HAVE_CODES = new Set([
  'src/upgrades/journal/messages.ts',
  'src/upgrades/journal/ownMessages.ts',
  'test/docs/docs.test.ts',
  'test/architecture/messageCodes.test.ts',
]);

const casts: Cast[] = [];
const tooLong: string[] = [];
const wordy: string[] = [];
const timed: string[] = [];
const codes: string[] = [];

for (const [path, text] of readSources(['src', 'bench', 'test'])) {
  const file = parse(path, text);
  const isOfTests = isTest(path) || path.startsWith('test/');
  if (path.startsWith('src/') && !isTest(path)) casts.push(...castsIn(file));
  if (/^(src|bench|test\/support)\//.test(path) && !isTest(path)) tooLong.push(...longFunctions(file));
  if (!path.startsWith('test/architecture/words')) wordy.push(...wordProblems(file));
  if (isOfTests && !path.startsWith('bench/') && !MAY_WAIT.has(path) && !path.includes('wallTime'))
    timed.push(...wallTimeUses(file));
  if (!MAY_HAVE_CODES.has(path)) codes.push(...codeNumbers(file, CODES));
}

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

test('every function fits on a screen, or is a factory of functions that do', () => {
  expect(tooLong).toEqual([]);
});

test('comments, test titles and texts on a screen are free of the phrases to avoid', () => {
  expect(wordy).toEqual([]);
});

test('no test measures wall time or sleeps', () => {
  expect(timed).toEqual([]);
});

test('only the table of messages has message codes as numbers', () => {
  expect(codes).toEqual([]);
});

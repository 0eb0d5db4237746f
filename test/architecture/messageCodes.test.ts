import { expect, test } from 'vitest';
import { MESSAGES } from '../../src/upgrades/journal/messages.ts';
import { codeNumbers } from './messageCodes.ts';
import { parse, readSources } from './sources.ts';

const CODES = new Set(Object.values(MESSAGES).map(({ code }): number => code));

/** The table itself, and the list of the interface that it is compared with. */
const MAY_HAVE_CODES = new Set([
  'src/upgrades/journal/messages.ts',
  'src/upgrades/journal/ownMessages.ts',
  'test/docs/docs.test.ts',
  'test/architecture/messageCodes.test.ts',
]);

test('only the table of messages has message codes as numbers', () => {
  const files = [...readSources(['src', 'bench', 'test'])].filter(([path]) => !MAY_HAVE_CODES.has(path));
  expect(files.flatMap(([path, text]) => codeNumbers(parse(path, text), CODES))).toEqual([]);
});

test('a message code is found, and any other number is not', () => {
  const file = parse('src/upgrades/a.ts', "const a = [2010, 2500, 1];\nif (code === 2_991) say('2010');\n");
  expect(codeNumbers(file, CODES)).toEqual(['src/upgrades/a.ts:1 2010', 'src/upgrades/a.ts:2 2991']);
});

import { expect, test } from 'vitest';
import { MESSAGES } from '../../src/upgrades/journal/messages.ts';
import { codeNumbers } from './messageCodes.ts';
import { parse } from './sources.ts';

const CODES = new Set(Object.values(MESSAGES).map(({ code }): number => code));

test('a message code is found, and any other number is not', () => {
  const file = parse('src/upgrades/a.ts', "const a = [2010, 2500, 1];\nif (code === 2_991) say('2010');\n");
  expect(codeNumbers(file, CODES)).toEqual(['src/upgrades/a.ts:1 2010', 'src/upgrades/a.ts:2 2991']);
});

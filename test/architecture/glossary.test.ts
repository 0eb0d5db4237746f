import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PROJECT } from '../support/run/project.ts';
import { glossaryOf, glossaryProblems } from './glossary.ts';
import { isTest, readSources } from './sources.ts';

const sources = new Map([...readSources(['src'])].filter(([path]) => !isTest(path)));

test('each word of the glossary names a symbol or a file that exists', () => {
  const entries = glossaryOf(readFileSync(join(PROJECT, 'ARCHITECTURE.md'), 'utf8'));
  expect(entries.length).toBeGreaterThanOrEqual(25);
  expect(glossaryProblems(entries, sources)).toEqual([]);
});

test('a word without code, a symbol or file that is missing, and a word with two rows are found', () => {
  const page = [
    '## Glossary',
    '| word | meaning | code |',
    '|---|---|---|',
    '| actor | who | `Actor` |',
    '| wish | a wish | `Wish` |',
    '| leg | a leg | `leg.ts` |',
    '| hold | a hold | none |',
    '| actor | again | `Actor` |',
    '## Next',
    '| other | table | `Other` |',
  ].join('\n');
  expect(glossaryProblems(glossaryOf(page), sources)).toEqual([
    'wish: Wish is not in src',
    'leg: leg.ts is not in src',
    'hold names no code',
    'actor has two rows',
  ]);
});

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PROJECT } from '../support/run/project.ts';
import { parse } from './sources.ts';
import { habitsIn, pageProblems, wordProblems } from './words.ts';

/** Contains the wording of the interface. */
const FIXED_WORDING = 'docs/messages.md';

test('the pages are free of the phrases to avoid', () => {
  const all = [...readdirSync(PROJECT), ...readdirSync(join(PROJECT, 'docs')).map((name) => `docs/${name}`)];
  const pages = all.filter((path) => path.endsWith('.md') && path !== FIXED_WORDING);
  expect(pages.flatMap((path) => pageProblems(path, readFileSync(join(PROJECT, path), 'utf8')))).toEqual([]);
});

test.each([
  'the log begins anew',
  'it waits, and meanwhile the store closes',
  'a process of its own',
  'parted by commas',
  'it runs so many at once',
  'a message bears a mark',
  'everyone is told',
  'what came of it',
  'this is no job',
  'nobody waits',
  'Whoever asks is answered',
  'The lease ends. Who cannot give it back lets it run out.',
])('the phrase in "%s" is found', (prose) => {
  expect(habitsIn(prose)).not.toEqual([]);
});

test.each([
  'There is no field of this name.',
  'It is no longer there.',
  'Who may see this?',
  'as long as the lease lasts',
  'so much that the disk is full',
  'The store keeps its own copy.',
  'a webhook hears of its own failure',
])('"%s" is accepted', (prose) => {
  expect(habitsIn(prose)).toEqual([]);
});

test('a phrase is found in a comment of several lines, in a doc comment and in a title, with its line', () => {
  const text = [
    '// the log',
    '// begins anew',
    'const a = 1;',
    '/**',
    ' * Nobody',
    ' * waits.',
    ' */',
    'const text = "nobody";',
    "describe('a', () => test(`nobody ${a}`, run));",
  ].join('\n');
  expect(wordProblems(parse('a.ts', text)).map((problem) => problem.split(' (')[0])).toEqual([
    'a.ts:1 "anew"',
    'a.ts:4 "Nobody"',
    'a.ts:9 "nobody"',
  ]);
});

test('a phrase is found in the prose of a page, and not in its code', () => {
  const page = ['nobody', '```', 'nobody', '```', 'see `nobody` here', 'all anew'].join('\n');
  expect(pageProblems('p.md', page).map((problem) => problem.split(' (')[0])).toEqual([
    'p.md:1 "nobody"',
    'p.md:6 "anew"',
  ]);
});

test('a phrase is found in a text that a person reads on a screen, and not in the data of a test', () => {
  const text = "log.warn({}, `the job ${id} begins anew`);\nconst word = 'anew';";
  expect(wordProblems(parse('src/jobs/a.ts', text))).toEqual([expect.stringMatching(/^src\/jobs\/a\.ts:1 "anew"/)]);
  expect(wordProblems(parse('src/jobs/a.test.ts', text))).toEqual([]);
});

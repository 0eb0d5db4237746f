import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PROJECT } from '../support/run/project.ts';
import { MESSAGES } from '../../src/upgrades/journal/messages.ts';
import { row } from '../../src/upgrades/journal/messageRow.ts';
import { cliPage } from './cliPage.ts';
import { fieldsPage } from './fieldsPage.ts';
import {
  anchorsOf,
  brokenLinks,
  configurationPage,
  deadPaths,
  idsInTests,
  messagesPage,
  projectFiles,
  ruleProblems,
  rulesOf,
  unsentMessages,
} from './pages.ts';
import { threatProblems, threatsOf } from './threatTable.ts';
import { troubleshootingPage, unexplainedSteps } from './troubleshootingPage.ts';

const rules = rulesOf(readFileSync(join(PROJECT, 'docs/spec.md'), 'utf8'));

test('docs/configuration.md matches the table of settings (npm test -- test/docs/docs.test.ts -u writes it)', async () => {
  await expect(configurationPage()).toMatchFileSnapshot('../../docs/configuration.md');
});

test('[DEC100] docs/cli.md matches the table of commands (npm test -- test/docs/docs.test.ts -u writes it)', async () => {
  await expect(cliPage()).toMatchFileSnapshot('../../docs/cli.md');
});

test('[C1] docs/fields.md matches the fields of the entities (npm test -- test/docs/docs.test.ts -u writes it)', async () => {
  await expect(fieldsPage()).toMatchFileSnapshot('../../docs/fields.md');
});

test('docs/messages.md matches the table of messages (npm test -- test/docs/docs.test.ts -u writes it)', async () => {
  await expect(messagesPage()).toMatchFileSnapshot('../../docs/messages.md');
});

test('docs/troubleshooting.md matches the tables of messages and errors (npm test -- test/docs/docs.test.ts -u writes it)', async () => {
  expect(unexplainedSteps(Object.values(MESSAGES))).toEqual([]);
  expect(unexplainedSteps([...Object.values(MESSAGES), row(1, 'planted', 'x', 'x')])).toEqual(['planted']);
  await expect(troubleshootingPage()).toMatchFileSnapshot('../../docs/troubleshooting.md');
});

describe('the messages of upgrades', () => {
  /** Every code of the interface, written down here once more so that the table of messages is checked against it. */
  const INTERFACE = [
    2010, 2011, 2012, 2165, 2166, 2168, 2270, 2271, 2287, 2288, 2094, 2281, 2291, 2173, 2175, 2108, 2109, 2087, 2090,
    2092, 2093, 2144, 2145, 2153, 2148, 2149, 2151, 2134, 2132, 2038, 2101, 2103, 2187, 2188, 2179, 2180, 2181, 2178,
    2185, 2191, 2192,
  ];
  const codes = Object.values(MESSAGES).map(({ code }) => code);

  test('the messages have the 41 codes of the interface, and of Steward only 2072 and the block 2900 to 2999', () => {
    expect(new Set(codes).size).toBe(codes.length);
    expect(new Set(INTERFACE).size).toBe(41);
    expect(INTERFACE.filter((code) => !codes.includes(code))).toEqual([]);
    const ours = codes.filter((code) => !INTERFACE.includes(code));
    expect(ours.filter((code) => code !== 2072 && (code < 2900 || code > 2999))).toEqual([]);
  });

  test('every message is sent by some code of the area', () => {
    expect(unsentMessages(Object.keys(MESSAGES))).toEqual([]);
    expect(unsentMessages(['upgradeStarted', 'planted'])).toEqual(['planted']);
  });
});

test('every rule that is built has a test, and every tested rule exists', () => {
  expect(rules.length).toBeGreaterThan(100);
  expect(ruleProblems(rules, idsInTests())).toEqual([]);
});

test('every link of a page leads to a file, and to a heading of it', () => {
  expect(brokenLinks()).toEqual([]);
});

test('a heading has the anchor that GitHub makes, and a comment in code has none', () => {
  const page = '# What `retry` does, step by step\n```sh\n# a comment\n```\n### 2990\n';
  expect([...anchorsOf(page)]).toEqual(['what-retry-does-step-by-step', '2990']);
});

test('no page has both sides of a merge', () => {
  const root = readdirSync(PROJECT).filter((path) => path.endsWith('.md'));
  const pages = [...root, ...[...projectFiles().keys()].filter((path) => path.endsWith('.md'))];
  expect(pages.length).toBeGreaterThan(20);
  const marked = pages.filter((path) => /^(?:<{7}|>{7}) /m.test(readFileSync(join(PROJECT, path), 'utf8')));
  expect(marked).toEqual([]);
});

test.each(['CONTRIBUTING.md', 'ARCHITECTURE.md'])('every path in backticks in %s leads to a file', (page) => {
  expect(deadPaths(readFileSync(join(PROJECT, page), 'utf8'), projectFiles())).toEqual([]);
});

describe('the table of threats in docs/security.md', () => {
  const page = readFileSync(join(PROJECT, 'docs/security.md'), 'utf8');

  test('every row has rules that are built, and tests that have these rules', () => {
    const threats = threatsOf(page);
    const rows = page.split('\n').filter((line) => line.startsWith('| ') && line.includes('.test.ts`'));
    expect(threats).toHaveLength(rows.length);
    expect(threats.length).toBeGreaterThan(20);
    expect(threatProblems(threats, rules, projectFiles())).toEqual([]);
  });

  test('every file that the page names exists', () => {
    expect(
      deadPaths(page, projectFiles()).filter((path) => path.startsWith('test/') || path.startsWith('src/')),
    ).toEqual([]);
  });

  test('the guard finds a rule that is not built, a rule without a test and a test without the rule', () => {
    const planted = threatsOf('| a | b | ABC1, ABC2 | `test/a.test.ts`, `test/b.test.ts` |');
    const known = [
      { id: 'ABC1', text: 'x', state: 'built' },
      { id: 'ABC2', text: 'x', state: 'part' },
    ];
    const files = new Map([['test/a.test.ts', () => "test('[ABC1] x')"]]);
    expect(threatProblems(planted, known, files)).toEqual([
      'a: ABC2 is not built',
      'a: no test has ABC2',
      'a: test/b.test.ts has no such rule',
    ]);
  });
});

describe('the guard of the paths', () => {
  const files = new Map([['src/catalog/catalog.ts', () => 'createCatalog']]);
  test.each([
    ['finds a missing file', '`catalog/records.ts`', ['catalog/records.ts']],
    ['finds a missing folder', '`src/records`', ['src/records']],
    ['finds a name that its file does not contain', '`createTable` in\n`catalog.ts`', ['createTable in catalog.ts']],
    [
      'finds no fault with a file, the end of a path, and a folder',
      '`src/catalog/catalog.ts`, `catalog.ts`, `src/`',
      [],
    ],
    ['finds no fault with a name in its file', '`createCatalog` in `catalog.ts`', []],
    ['leaves URL paths and packages alone', '`/metrics`, `{root}/system`, `@fastify/busboy`, `npm test`', []],
  ])('%s', (_what, page, dead) => {
    expect(deadPaths(page, files)).toEqual(dead);
  });
});

test('the change log has the version of the package', () => {
  const { version } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8')) as { readonly version: string };
  expect(readFileSync(join(PROJECT, 'CHANGELOG.md'), 'utf8')).toContain(`## ${version}`);
});

test('the pages that a newcomer looks for exist', () => {
  const pages = [
    'README.md',
    'ARCHITECTURE.md',
    'CONTRIBUTING.md',
    'CHANGELOG.md',
    'SECURITY.md',
    'LICENSE',
    'docs/spec.md',
    'docs/configuration.md',
    'docs/messages.md',
    'docs/troubleshooting.md',
    'docs/security.md',
    'docs/tour.md',
    'docs/upgrades.md',
  ];
  expect(pages.filter((page) => !existsSync(join(PROJECT, page)))).toEqual([]);
});

describe('the guard of the rules', () => {
  const rule = { id: 'ABC1', text: 'x', state: 'built' };
  test.each([
    ['a rule without a test', [rule], [], 'ABC1 is built but has no test'],
    ['a test without a rule', [], ['ABC2'], 'a test names ABC2, but there is no such rule'],
    ['a rule that is there twice', [rule, rule], ['ABC1'], 'ABC1 is there twice'],
    ['an unknown state', [{ ...rule, state: 'done' }], ['ABC1'], 'ABC1 is in the unknown state done'],
    [
      'a partial rule that does not say what is missing',
      [{ ...rule, state: 'part' }],
      ['ABC1'],
      'ABC1: only a rule in part says what is missing',
    ],
  ])('finds %s', (_what, planted, tested, problem) => {
    expect(ruleProblems(planted, tested)).toContain(problem);
  });
});

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PROJECT } from './support/architecture.ts';
import { brokenLinks, configurationPage, idsInTests, ruleProblems, rulesOf } from './support/documents.ts';

const rules = rulesOf(readFileSync(join(PROJECT, 'docs/spec.md'), 'utf8'));

test('docs/configuration.md is the table of settings (npm test -- test/docs.test.ts -u writes it)', async () => {
  await expect(configurationPage()).toMatchFileSnapshot('../docs/configuration.md');
});

test('every rule that is built has a test, and every tested rule exists', () => {
  expect(rules.length).toBeGreaterThan(100);
  expect(ruleProblems(rules, idsInTests())).toEqual([]);
});

test('no link of a page is broken', () => {
  expect(brokenLinks()).toEqual([]);
});

test('the version of the package is in the change log', () => {
  const { version } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8')) as { readonly version: string };
  expect(readFileSync(join(PROJECT, 'CHANGELOG.md'), 'utf8')).toContain(`## ${version}`);
});

test('the pages that a newcomer looks for are there', () => {
  const pages = [
    'README.md',
    'ARCHITECTURE.md',
    'CONTRIBUTING.md',
    'CHANGELOG.md',
    'SECURITY.md',
    'LICENSE',
    'docs/spec.md',
    'docs/configuration.md',
    'docs/tour.md',
  ];
  expect(pages.filter((page) => !existsSync(join(PROJECT, page)))).toEqual([]);
});

describe('the guard of the rules finds', () => {
  const rule = { id: 'ABC1', text: 'x', state: 'built' };
  test.each([
    ['a rule without a test', [rule], [], 'ABC1 is built but has no test'],
    ['a test without a rule', [], ['ABC2'], 'a test names ABC2, but there is no such rule'],
    ['a rule that is there twice', [rule, rule], ['ABC1'], 'ABC1 is there twice'],
    ['an unknown state', [{ ...rule, state: 'done' }], ['ABC1'], 'ABC1 is in the unknown state done'],
    [
      'a rule in part that hides what is missing',
      [{ ...rule, state: 'part' }],
      ['ABC1'],
      'ABC1: only a rule in part says what is missing',
    ],
  ])('%s', (_what, planted, tested, problem) => {
    expect(ruleProblems(planted, tested)).toContain(problem);
  });
});

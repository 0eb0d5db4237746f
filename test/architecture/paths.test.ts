import { expect, test } from 'vitest';
import { PERMITTED, pagesIn, pathsIn } from './paths.ts';
import { isTest, parse, readSources } from './sources.ts';

const sources = [...readSources(['src/console', 'src/cli'])].filter(([path]) => !isTest(path));
const pages = pagesIn(new Map(sources).get('src/console/app/pages.tsx') ?? '');

test('[C2] no file of the console and of the command line has the path of an operation', () => {
  const found = sources.map(([path, text]) => [path, pathsIn(parse(path, text), pages)] as const);
  expect(Object.fromEntries(found.filter(([, paths]) => paths.length > 0))).toEqual(PERMITTED);
});

test('[C2] the table of pages is read, and a link to a page is not taken for a path', () => {
  expect(pages.size).toBeGreaterThan(8);
  expect(pathsIn(parse('a.ts', "const link = '/uploads';"), pages)).toEqual([]);
});

test.each([
  ['a path', "get('/services/export', {});", '/services/export'],
  ['a path with {root}', "fetch('/admin/system/jobs');", '/admin/system/jobs'],
  ['the beginning of a path', 'get(`/system/jobs/${id}/pause`, {});', '/system/jobs/'],
  ['a path after an expression', 'fetch(`${root}/security/users`);', '/security/users'],
  ['a path with a query', "get('/mode?f=json', {});", '/mode?f=json'],
  ['a path of the demo', "post('/demo/login', {});", '/demo/login'],
  ['a path in an attribute', '<a href="/uploads/1/download" />', '/uploads/1/download'],
  ['a text that is made an address', 'get(text as Address<Reading>, {});', 'as Address<Reading>'],
])('[C2] %s is found', (_what, text, path) => {
  expect(pathsIn(parse('a.tsx', text), pages)).toEqual([path]);
});

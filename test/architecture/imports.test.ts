import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PROJECT } from '../support/run/project.ts';
import { HOMES, sourcesOf, violations } from './imports.ts';

function planted(path: string, text: string): readonly string[] {
  return violations(new Map([...sourcesOf(), [path, text]])).filter(
    (problem) => problem.includes(path) || problem.includes('cycle'),
  );
}

test('the rooms keep to themselves', () => {
  expect(violations(sourcesOf())).toEqual([]);
});

test('every dependency has a home, and every home a dependency', () => {
  const { dependencies } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8')) as {
    readonly dependencies: Record<string, string>;
  };
  expect(Object.keys(HOMES).toSorted()).toEqual(Object.keys(dependencies).toSorted());
});

describe('the guard finds', () => {
  test.each([
    ['a forbidden room', 'catalog/planted.ts', "import { createAccess } from '../access/access.ts';\n"],
    ['a forbidden room, imported at run time', 'catalog/planted.ts', "const a = await import('../store/store.ts');\n"],
    [
      'a value where only types may come in',
      'store/planted.ts',
      "import { createCatalog } from '../catalog/catalog.ts';\n",
    ],
    ['a package away from home', 'http/planted.ts', "import { Pool } from 'pg';\n"],
    ['a package without a home', 'http/planted.ts', "import x from 'left-pad';\n"],
    ['a room that is none', 'misc/planted.ts', 'export const x = 1;\n'],
    ['a name that says nothing', 'http/utils.ts', 'export const x = 1;\n'],
    ['a barrel', 'http/planted.ts', "export * from './server.ts';\n"],
    ['a default export', 'http/planted.ts', 'export default 1;\n'],
    ['an enum', 'http/planted.ts', 'export enum X { A }\n'],
    ['a file that is two concepts', 'http/planted.ts', '\n'.repeat(302)],
  ])('%s', (_what, path, text) => {
    expect(planted(path, text)).not.toEqual([]);
  });

  test('an import cycle', () => {
    const sources = new Map([
      ['http/a.ts', "import { b } from './b.ts';\n"],
      ['http/b.ts', "import { a } from './a.ts';\n"],
    ]);
    expect(violations(sources)).toEqual([expect.stringContaining('cycle')]);
  });

  test('but not a type where types may come in', () => {
    expect(planted('store/planted.ts', "import type { Catalog } from '../catalog/catalog.ts';\n")).toEqual([]);
  });
});

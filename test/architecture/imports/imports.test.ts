import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PROJECT } from '../../support/run/project.ts';
import { HOMES, builtSources, violations } from './imports.ts';

function planted(path: string, text: string): readonly string[] {
  return violations(new Map([...builtSources(), [path, text]])).filter(
    (problem) => problem.includes(path) || problem.includes('cycle'),
  );
}

test('every import, name and export in src is allowed by the architecture', () => {
  expect(violations(builtSources())).toEqual([]);
});

test('each dependency is assigned to rooms, and the build puts every other assigned package into dist', () => {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8')) as {
    readonly dependencies: Record<string, string>;
    readonly devDependencies: Record<string, string>;
  };
  const assigned = Object.keys(HOMES);
  expect(Object.keys(dependencies).filter((name) => !assigned.includes(name))).toEqual([]);
  expect(assigned.filter((name) => !(name in dependencies) && !(name in devDependencies))).toEqual([]);
});

describe('the guard of imports', () => {
  test.each([
    ['an import of a forbidden room', 'catalog/planted.ts', "import { createAccess } from '../access/access.ts';\n"],
    ['a dynamic import of a forbidden room', 'catalog/planted.ts', "const a = await import('../store/store.ts');\n"],
    [
      'an import of a value where only types are allowed',
      'store/planted.ts',
      "import { createCatalog } from '../catalog/catalog.ts';\n",
    ],
    [
      'an import of rows in the console',
      'console/planted.ts',
      "import { INTERFACE } from '../wire/client/interface.ts';\n",
    ],
    ['a package that belongs to another room', 'http/planted.ts', "import { Pool } from 'pg';\n"],
    ['a package that belongs to no room', 'http/planted.ts', "import x from 'left-pad';\n"],
    ['a folder that is not a room', 'misc/planted.ts', 'export const x = 1;\n'],
    ['a file name without meaning', 'http/utils.ts', 'export const x = 1;\n'],
    ['a barrel', 'http/planted.ts', "export * from './server.ts';\n"],
    ['a default export', 'http/planted.ts', 'export default 1;\n'],
    ['an enum', 'http/planted.ts', 'export enum X { A }\n'],
  ])('finds %s', (_what, path, text) => {
    expect(planted(path, text)).not.toEqual([]);
  });

  test('finds an import cycle', () => {
    const sources = new Map([
      ['http/a.ts', "import { b } from './b.ts';\n"],
      ['http/b.ts', "import { a } from './a.ts';\n"],
    ]);
    expect(violations(sources)).toEqual([expect.stringContaining('cycle')]);
  });

  test('accepts an import of a type where types are allowed', () => {
    expect(planted('store/planted.ts', "import type { Catalog } from '../catalog/catalog.ts';\n")).toEqual([]);
  });
});

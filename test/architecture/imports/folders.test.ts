import { describe, expect, test } from 'vitest';
import { folderProblems } from './folders.ts';
import { builtSources } from './imports.ts';

test('the folders of each room, and the files beside them, import each other in one direction', () => {
  expect(folderProblems(builtSources())).toEqual([]);
});

function problemsOf(files: Readonly<Record<string, string>>): readonly string[] {
  return folderProblems(
    new Map(Object.entries(files).map(([path, target]) => [path, target && `import { x } from '${target}';\n`])),
  );
}

describe('the guard of folders', () => {
  test('finds two folders that import each other although no files do, and shows the imports', () => {
    expect(problemsOf({ 'http/a/one.ts': '../b/one.ts', 'http/b/two.ts': '../a/two.ts' })).toEqual([
      'circle of folders in http: a → b → a (http/a/one.ts imports http/b/one.ts; http/b/two.ts imports http/a/two.ts)',
    ]);
  });

  test('finds a circle through a folder inside a folder', () => {
    expect(problemsOf({ 'http/a/deep/one.ts': '../../b/one.ts', 'http/b/deep/two.ts': '../../a/two.ts' })).toEqual([
      expect.stringContaining('circle of folders in http: a → b → a'),
    ]);
    expect(problemsOf({ 'http/a/b/one.ts': '../c/one.ts', 'http/a/c/two.ts': '../b/two.ts' })).toEqual([
      expect.stringContaining('circle of folders in http/a: b → c → b'),
    ]);
  });

  test('finds a circle through a file beside the folders', () => {
    expect(problemsOf({ 'http/a/one.ts': '../shared.ts', 'http/shared.ts': './a/two.ts' })).toEqual([
      expect.stringContaining('circle of folders in http: a → shared.ts → a'),
    ]);
  });

  test('accepts folders that use a file beside them, and a file beside them that uses folders', () => {
    expect(
      problemsOf({ 'http/a/one.ts': '../b/one.ts', 'http/b/one.ts': '../links.ts', 'http/http.ts': './a/one.ts' }),
    ).toEqual([]);
  });

  test.each([
    ['a folder that imports a later one', 'upgrades/values/a.ts', '../ports/b.ts'],
    ['a folder that imports a file beside the folders', 'upgrades/run/calls/a.ts', '../../upgrades.ts'],
    ['a folder without a place in the order', 'upgrades/misc/a.ts', '../values/b.ts'],
  ])('finds in a room with an order %s', (_what, path, target) => {
    expect(problemsOf({ [path]: target })).toEqual([expect.stringContaining(path)]);
  });

  test('accepts in a room with an order a folder that imports an earlier one', () => {
    expect(problemsOf({ 'upgrades/run/a.ts': '../values/b.ts', 'upgrades/upgrades.ts': './run/a.ts' })).toEqual([]);
  });
});

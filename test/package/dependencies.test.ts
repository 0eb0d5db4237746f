import { readFileSync, readdirSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { expect, test } from 'vitest';
import { projectManifest } from '../support/package/packedPackage.ts';
import { PROJECT } from '../support/run/project.ts';

const BUILT_IN = new Set(builtinModules);
const DIST = join(PROJECT, 'dist');

/** The modules that a file imports by name, static or on demand. */
function importsOf(name: string): readonly string[] {
  const text = readFileSync(join(DIST, name), 'utf8');
  const { module } = parseSync(name, text);
  const onDemand = module.dynamicImports.map(({ moduleRequest: { start, end } }) => text.slice(start, end));
  return [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...onDemand.flatMap((request) => /^["'](.+)["']$/.exec(request)?.[1] ?? []),
  ];
}

test('[DEC80] the dependencies are exactly the packages that the built server imports', () => {
  const files = readdirSync(DIST).filter((name) => name.endsWith('.js'));
  const imported = files.flatMap(importsOf).filter((name) => !/^(\.|node:)/.test(name) && !BUILT_IN.has(name));
  expect([...new Set(imported)].toSorted()).toEqual(Object.keys(projectManifest().dependencies).toSorted());
});

test('[DEC80] every dependency has one exact version', () => {
  const { dependencies } = projectManifest();
  expect(Object.values(dependencies).filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
});

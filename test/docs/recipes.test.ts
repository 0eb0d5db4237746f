import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { HOOKS } from '../../src/model/hook.ts';
import { PROJECT } from '../support/run/project.ts';

const read = (path: string): string => readFileSync(join(PROJECT, path), 'utf8');

/** The recipes of CONTRIBUTING.md, with their titles. */
const RECIPES = (read('CONTRIBUTING.md').split(/^## Recipes$/m)[1] ?? '')
  .split(/^### /m)
  .slice(1)
  .map((text) => ({ title: text.split('\n', 1)[0] ?? '', text }));

/** The commands in the blocks of a recipe. */
function commandsOf(text: string): readonly string[] {
  return [...text.matchAll(/^```sh\n([\s\S]*?)^```/gm)].flatMap(([, block = '']) => block.trim().split('\n'));
}

describe('[C6] the recipes of CONTRIBUTING.md', () => {
  const { scripts }: { scripts: Readonly<Record<string, string>> } = JSON.parse(read('package.json'));

  test.each(RECIPES)('"$title" has a command that fails if a place was forgotten', ({ text }) => {
    const commands = commandsOf(text);
    expect(commands.filter((one) => /^(npm (test|run \w+)|npx \w+)( |$)/.test(one))).toEqual(commands);
    expect(commands.length).toBeGreaterThan(0);
    for (const [, script = ''] of commands.join('\n').matchAll(/npm run (\w+)/g))
      expect(scripts).toHaveProperty(script);
    const paths = commands.flatMap((one) => one.split(' ').filter((word) => /^(src|test)\//.test(word)));
    expect(paths.filter((path) => !existsSync(join(PROJECT, path)))).toEqual([]);
  });

  test('every recipe is found', () => {
    expect(RECIPES.length).toBeGreaterThan(12);
  });
});

describe('[C6] what the compiler does not find', () => {
  test('every metric is described on a page', () => {
    const files = readdirSync(join(PROJECT, 'src/http/metrics')).filter((name) => !name.endsWith('.test.ts'));
    const metrics = files.flatMap((file) =>
      [...read(`src/http/metrics/${file}`).matchAll(/'(steward_\w+)'/g)].map(([, name = '']) => name),
    );
    const pages = ['operations', 'webhooks', 'upgrades'].map((page) => read(`docs/${page}.md`)).join('\n');
    expect(metrics.length).toBeGreaterThan(20);
    expect(metrics.filter((name) => !pages.includes(name))).toEqual([]);
  });

  test('every preflight check and every hook is described on a page', () => {
    const tables = read('src/upgrades/plan/checks/checks.ts').matchAll(
      /^const (?:REQUEST_RULES|CHECKS): .* = \{\n([\s\S]*?)^\};/gm,
    );
    const checks = [...tables].flatMap(([, table = '']) =>
      [...table.matchAll(/^ {2}(\w+): /gm)].map(([, name = '']) => name),
    );
    expect(checks).toEqual(expect.arrayContaining(['settings', 'images', 'volumes']));
    expect(checks.filter((name) => !read('docs/upgrades.md').includes(`\`${name}\``))).toEqual([]);
    expect(HOOKS.filter((hook) => !read('docs/kubernetes.md').includes(`\`${hook}\``))).toEqual([]);
  });
});

test('[C6] ARCHITECTURE.md names the files of workloads, rollout and preflight that are not pure', () => {
  const isAsking = (path: string): boolean =>
    /\basync\b|\bawait\b|Promise</.test(read(`src/drivers/kubernetes/${path}`));
  const files = ['workloads', 'rollout', 'preflight'].flatMap((folder) =>
    readdirSync(join(PROJECT, 'src/drivers/kubernetes', folder)).map((name) => `${folder}/${name}`),
  );
  const asking = files.filter((path) => !path.endsWith('.test.ts') && isAsking(path));
  const page = read('ARCHITECTURE.md').replaceAll('\n', ' ');
  const sentence =
    /pure functions, except for \w+ files that ask the cluster[^:]*:(.*?)\. `acts`/.exec(page)?.[1] ?? '';
  expect(new Set([...sentence.matchAll(/`([^`]+)`/g)].map(([, path]) => path))).toEqual(new Set(asking));
});

// Checks the table of threats in docs/security.md against the rules and the tests of the project.
import type { Rule } from './pages.ts';

interface Threat {
  readonly name: string;
  readonly rules: readonly string[];
  readonly tests: readonly string[];
}

/** The rows of the table: threat, defence, rules, tests. */
export function threatsOf(page: string): readonly Threat[] {
  return [...page.matchAll(/^\| ([^|]+) \| [^|]+ \| ((?:[A-Z]{3}\d+(?:, )?)+) \| ([^|]+) \|$/gm)].map(
    ([, name = '', rules = '', tests = '']) => ({
      name,
      rules: rules.split(', '),
      tests: [...tests.matchAll(/`([^`]+\.test\.ts)`/g)].map(([, path = '']) => path),
    }),
  );
}

/** Threats with a rule that is not built, a test that does not exist, a rule that no named test has, or a test with none of the rules. */
export function threatProblems(
  threats: readonly Threat[],
  rules: readonly Rule[],
  files: ReadonlyMap<string, () => string>,
): readonly string[] {
  const built = new Set(rules.filter(({ state }) => state === 'built').map(({ id }) => id));
  const hasRule = (path: string, id: string): boolean => files.get(path)?.().includes(`[${id}]`) === true;
  return threats.flatMap(({ name, rules: ids, tests }) => [
    ...ids.filter((id) => !built.has(id)).map((id) => `${name}: ${id} is not built`),
    ...ids.filter((id) => !tests.some((path) => hasRule(path, id))).map((id) => `${name}: no test has ${id}`),
    ...tests.filter((path) => !ids.some((id) => hasRule(path, id))).map((path) => `${name}: ${path} has no such rule`),
  ]);
}

// Where files are and what they are called: a stranger finds a file by the listing alone.
import { basename, dirname } from 'node:path';
import { isTest } from './sources.ts';

const MOST_FILES = 12;
const MOST_LINES = 300;
/** Nouns that end like a gerund. */
const NOUNS: ReadonlySet<string> = new Set([
  'binding',
  'housekeeping',
  'listing',
  'setting',
  'settings',
  'string',
  'timing',
]);

/** The last word of a name decides: `runningExchanges` are exchanges. */
function lastWord(path: string): string {
  const name = basename(path).split('.')[0] ?? '';
  return (name.match(/[A-Z]?[a-z]+/g)?.at(-1) ?? name).toLowerCase();
}

/** Files that are named by a gerund: a file is a noun of the domain, or the verb that it exports. */
export function gerunds(paths: readonly string[]): readonly string[] {
  return paths
    .filter((path) => /ings?$/.test(lastWord(path)) && !NOUNS.has(lastWord(path)))
    .map((path) => `${path}: "${lastWord(path)}" is a gerund`);
}

/** Folders with more files than a reader takes in at once, and no folders inside; tests do not count. */
export function crowdedFolders(paths: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const path of paths) if (!isTest(path)) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  return [...counts]
    .filter(([folder, count]) => count > MOST_FILES && !paths.some((path) => dirname(path).startsWith(`${folder}/`)))
    .map(([folder, count]) => `${folder} has ${count} files; group them in folders`);
}

/** Files that are too long to be one concept. */
export function longFiles(sources: ReadonlyMap<string, string>): readonly string[] {
  return [...sources]
    .filter(([path, text]) => !isTest(path) && text.split('\n').length > MOST_LINES + 1)
    .map(([path]) => `${path}: more than ${MOST_LINES} lines`);
}

export interface GlossaryEntry {
  readonly word: string;
  readonly code: string;
}

/** The rows of the glossary: `| word | meaning | code |`, with the code in backticks. */
export function glossaryOf(page: string): readonly GlossaryEntry[] {
  const section = /^## Glossary\n([\s\S]*?)(?=^## |(?![\s\S]))/m.exec(page)?.[1] ?? '';
  return [...section.matchAll(/^\| ([^|]+) \| [^|]+ \| ([^|]+) \|$/gm)]
    .map(([, word = '', code = '']) => ({ word, code }))
    .filter(({ word }) => word !== 'word');
}

function isDefined(name: string, sources: ReadonlyMap<string, string>): boolean {
  if (name.endsWith('.ts') || name.endsWith('/'))
    return [...sources.keys()].some((path) => path.includes(name.replace(/^src\//, 'src/')));
  const declared = new RegExp(`\\b(interface|type|function|const|class) ${name}\\b|^  (readonly )?${name}[(<?:]`, 'm');
  return [...sources.values()].some((text) => declared.test(text));
}

/** Entries whose symbol or file does not exist, and words that have two rows. */
export function glossaryProblems(
  entries: readonly GlossaryEntry[],
  sources: ReadonlyMap<string, string>,
): readonly string[] {
  const names = ({ code }: GlossaryEntry) => [...code.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
  return entries.flatMap((entry, n) => [
    ...(entries.findIndex(({ word }) => word === entry.word) === n ? [] : [`${entry.word} has two rows`]),
    ...(names(entry).length === 0 ? [`${entry.word} names no code`] : []),
    ...names(entry)
      .filter((name) => !isDefined(name, sources))
      .map((name) => `${entry.word}: ${name} is not in src`),
  ]);
}

// Habits of prose that style rules out, as whole phrases. They are looked for in comments, test titles, texts that a
// person reads on a screen, and Markdown prose.
import type { Parsed } from './sources.ts';
import { isTest, rootOf, walk } from './sources.ts';
import { textOf, titlesOf } from './titles.ts';

interface Habit {
  readonly phrase: RegExp;
  readonly instead: string;
}

const HABITS: readonly Habit[] = [
  { phrase: /\banew\b/i, instead: 'again' },
  { phrase: /\bmeanwhile\b/i, instead: 'in the meantime, or say when' },
  { phrase: /\bof (its|their|his|our) own\b(?! \w)/i, instead: 'its own …' },
  { phrase: /\bparted by\b/i, instead: 'separated by' },
  { phrase: /\b(so many|so much|so long)\b(?! (that|as))/i, instead: 'the number, or "this much"' },
  { phrase: /\bto be had\b/i, instead: 'available' },
  { phrase: /\bbears? (a|an|the|its|this)\b/i, instead: 'has, carries' },
  { phrase: /\b(is|are|was|were) told\b/i, instead: 'hears of, is shown, gets' },
  { phrase: /\bwhat (came|comes|becomes) of\b/i, instead: 'the outcome' },
  { phrase: /(?<!\b(there|it)\b.{0,4})\b(is|are|was|were) no (?!longer|more|other|such|\d)/i, instead: 'is not a …' },
  { phrase: /\bnobody\b/i, instead: 'no one, or name the subject' },
  { phrase: /\bwhoever\b|(?:^|[.:;!] )Whatever\b/i, instead: 'name the subject' },
  { phrase: /(?:^|[.:;!] )Who (?![^.]*\?)/, instead: 'name the subject' },
];

/** The phrases to avoid in a piece of prose. */
export function habitsIn(prose: string): readonly string[] {
  return HABITS.flatMap(({ phrase, instead }) => {
    const found = phrase.exec(prose)?.[0].trim();
    return found === undefined ? [] : [`"${found}" (write: ${instead})`];
  });
}

/** The prose of comments: lines that follow one another are one text. */
function commentsOf({ comments, lineOf }: Parsed): readonly { readonly line: number; readonly text: string }[] {
  const found: { line: number; end: number; text: string }[] = [];
  for (const { type, value, start, end } of comments) {
    const text = value
      .replaceAll(/^\s*\*? ?/gm, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim();
    if (/^(oxlint|eslint|@ts)-/.test(text)) continue;
    const last = found.at(-1);
    const line = lineOf(start);
    if (type === 'Line' && last !== undefined && last.end === line - 1) {
      last.text += ` ${text}`;
      last.end = line;
    } else found.push({ line, end: lineOf(end), text });
  }
  return found;
}

/** The wording of these messages belongs to the interface. */
const FIXED_WORDING = 'src/upgrades/journal/messages.ts';
const FEWEST_WORDS = 3;

/** The literals of a source file that a person may read on a screen. */
function textsOf(file: Parsed): readonly { readonly line: number; readonly text: string }[] {
  if (!file.path.startsWith('src/') || isTest(file.path) || file.path === FIXED_WORDING) return [];
  const found: { line: number; text: string }[] = [];
  walk(rootOf(file), (node) => {
    const text = textOf(node) ?? '';
    if (text.split(/\s+/).length >= FEWEST_WORDS) found.push({ line: file.lineOf(node.start), text });
  });
  return found;
}

/** `file:line phrase` of each habit in the comments, titles and texts of a file. */
export function wordProblems(file: Parsed): readonly string[] {
  const titles = titlesOf(file).map(({ text, start }) => ({ line: file.lineOf(start), text }));
  const prose = [...commentsOf(file), ...titles, ...textsOf(file)];
  return prose.flatMap(({ line, text }) => habitsIn(text).map((habit) => `${file.path}:${line} ${habit}`));
}

/** The same for the prose of a Markdown page: not its code, nor what is quoted as code. */
export function pageProblems(path: string, page: string): readonly string[] {
  let isCode = false;
  return page.split('\n').flatMap((line, n) => {
    if (line.startsWith('```')) isCode = !isCode;
    if (isCode || line.startsWith('```')) return [];
    return habitsIn(line.replaceAll(/`[^`]*`/g, '`')).map((habit) => `${path}:${n + 1} ${habit}`);
  });
}

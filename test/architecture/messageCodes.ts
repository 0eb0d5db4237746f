import type { Parsed } from './sources.ts';
import { rootOf, walk } from './sources.ts';

/** Numbers in the code that are the code of a message. Only the table of messages has them; the rest names messages. */
export function codeNumbers(file: Parsed, codes: ReadonlySet<number>): readonly string[] {
  const found: string[] = [];
  walk(rootOf(file), (node) => {
    if (node.type !== 'Literal' || typeof node['value'] !== 'number' || !codes.has(node['value'])) return;
    found.push(`${file.path}:${file.lineOf(node.start)} ${node['value']}`);
  });
  return found;
}

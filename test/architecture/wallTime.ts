// No test measures wall time or sleeps: on a busy machine such a test fails although the program is right. Tests use the manual
// clock or fake timers, or wait until a condition holds.
import type { Node, Parsed } from './sources.ts';
import { identifierOf, rootOf, walk } from './sources.ts';

const FORBIDDEN: ReadonlySet<string> = new Set(['setTimeout', 'setInterval', 'performance', 'waitFor', 'waitUntil']);

function usesFakeTimers({ text }: Parsed): boolean {
  return text.includes('vi.useFakeTimers(');
}

/** `file:line name` of each use of a timer or a stopwatch. */
export function wallTimeUses(file: Parsed): readonly string[] {
  if (usesFakeTimers(file)) return [];
  const found: string[] = [];
  walk(rootOf(file), (node: Node, above) => {
    const isImport = node.type === 'Literal' && node['value'] === 'node:timers/promises';
    const name = node.type === 'Identifier' ? identifierOf(node) : undefined;
    // The time limit of a request does not measure anything.
    const isOfRequest = above.at(-1)?.['property'] === node && name === 'setTimeout';
    if (isImport || (name !== undefined && FORBIDDEN.has(name) && !isOfRequest))
      found.push(`${file.path}:${file.lineOf(node.start)} ${name ?? 'node:timers/promises'}`);
  });
  return found;
}

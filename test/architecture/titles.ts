import type { Node, Parsed } from './sources.ts';
import { rootOf, walk } from './sources.ts';

export interface Title {
  readonly kind: 'describe' | 'test';
  readonly text: string;
  readonly start: number;
}

/** `test`, `test.each(…)`, `describe.skipIf(…)` and so on. */
function kindOf(callee: unknown): Title['kind'] | undefined {
  let node = callee as Node | undefined;
  while (node !== undefined && node.type !== 'Identifier')
    node = (node['callee'] ?? node['object']) as Node | undefined;
  const name = node?.['name'];
  return name === 'test' || name === 'describe' ? name : undefined;
}

/** The text of a literal or a template, with `…` for each gap. */
export function textOf(node: Node | undefined): string | undefined {
  if (node?.type === 'Literal' && typeof node['value'] === 'string') return node['value'];
  if (node?.type !== 'TemplateLiteral') return undefined;
  return (node['quasis'] as readonly { readonly value: { readonly cooked: string } }[])
    .map(({ value }) => value.cooked)
    .join('…');
}

/** The titles of the tests and suites in a file. */
export function titlesOf(file: Parsed): readonly Title[] {
  const found: Title[] = [];
  walk(rootOf(file), (node) => {
    if (node.type !== 'CallExpression') return;
    const kind = kindOf(node['callee']);
    const text = textOf((node['arguments'] as readonly Node[])[0]);
    if (kind !== undefined && text !== undefined) found.push({ kind, text, start: node.start });
  });
  return found;
}

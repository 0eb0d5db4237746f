// Functions fit on a screen. A factory may be longer: a function that ends by returning an object or a function made of
// inner functions. Of a factory only its own lines of code count, without inner functions, comments and empty lines; each inner
// function is judged itself.
import type { Node, Parsed } from './sources.ts';
import { childrenOf, identifierOf, rootOf, walk } from './sources.ts';

const MOST_LINES = 50;
const FUNCTIONS: ReadonlySet<string> = new Set([
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunctionExpression',
]);
/** In these, a value is the same with or without the type. */
const TYPED: ReadonlySet<string> = new Set(['TSAsExpression', 'TSSatisfiesExpression', 'ParenthesizedExpression']);

function isFunction({ type }: Node): boolean {
  return FUNCTIONS.has(type);
}

function field(node: Node | undefined, name: string): Node | undefined {
  return childrenOf(node ?? NONE).find((child) => node?.[name] === child);
}

/** An empty line, or one that is only a comment. */
const NO_CODE = /^\s*(\/\/|\/?\*|$)/;

const NONE: Node = { type: 'none', start: 0, end: 0 };

function list(node: Node | undefined, name: string): readonly Node[] {
  const value = node?.[name];
  return Array.isArray(value) ? childrenOf(node ?? NONE).filter((child) => value.includes(child)) : [];
}

function withoutType(node: Node | undefined): Node | undefined {
  return node !== undefined && TYPED.has(node.type) ? withoutType(field(node, 'expression')) : node;
}

/** The statements of a function; an arrow function may be one expression. */
function statementsOf(node: Node): readonly Node[] {
  return list(field(node, 'body'), 'body');
}

function isMadeOfFunctions(value: Node | undefined, statements: readonly Node[]): boolean {
  const node = withoutType(value);
  if (node === undefined) return false;
  if (node.type === 'ObjectExpression' || isFunction(node)) return true;
  if (node.type !== 'Identifier') return false;
  const declared = statements.flatMap((one) => list(one, 'declarations'));
  const found = declared.find((one) => identifierOf(field(one, 'id')) === identifierOf(node));
  const made = withoutType(field(found, 'init'));
  return made !== undefined && (made.type === 'ObjectExpression' || isFunction(made));
}

/** A function that defines tests is one too: it is made of the functions that it hands to `test`. */
function definesTests(statements: readonly Node[]): boolean {
  return statements.some((one) => {
    const callee = field(field(one, 'expression'), 'callee');
    return /^(test|describe)$/.test(identifierOf(callee) ?? '');
  });
}

function isFactory(node: Node): boolean {
  const body = field(node, 'body');
  const statements = statementsOf(node);
  const last = statements.at(-1);
  if (body !== undefined && body.type !== 'BlockStatement') return isMadeOfFunctions(body, []);
  if (last?.type === 'ReturnStatement' && isMadeOfFunctions(field(last, 'argument'), statements)) return true;
  return definesTests(statements);
}

/** The functions inside a function that are not inside another of them. */
function innerFunctions(node: Node): readonly Node[] {
  return childrenOf(node).flatMap((child) => (isFunction(child) ? [child] : innerFunctions(child)));
}

function nameOf(node: Node, above: readonly Node[]): string {
  const parent = above.at(-1);
  const named = field(node, 'id') ?? field(parent, 'id') ?? field(parent, 'key');
  return identifierOf(named) ?? 'anonymous';
}

/** The lines of code of a factory that are not inside one of its inner functions. */
function ownLines({ text, lineOf }: Parsed, node: Node): number {
  const inner = new Set(
    innerFunctions(node).flatMap(({ start, end }) =>
      Array.from({ length: lineOf(end) - lineOf(start) }, (_, n) => lineOf(start) + n + 1),
    ),
  );
  const lines = text.split('\n').slice(lineOf(node.start) - 1, lineOf(node.end));
  return lines.filter((line, n) => !NO_CODE.test(line) && !inner.has(lineOf(node.start) + n)).length;
}

/** `file:line name lines` of each function that is too long. */
export function longFunctions(file: Parsed): readonly string[] {
  const linesOf = (node: Node): number => file.lineOf(node.end) - file.lineOf(node.start) + 1;
  const found: string[] = [];
  walk(rootOf(file), (node, above) => {
    if (!isFunction(node)) return;
    const total = linesOf(node);
    if (total <= MOST_LINES) return;
    const counted = isFactory(node) ? ownLines(file, node) : total;
    if (counted > MOST_LINES)
      found.push(`${file.path}:${file.lineOf(node.start)} ${nameOf(node, above)} ${counted} lines`);
  });
  return found;
}

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Comment, Program } from 'oxc-parser';
import { parseSync } from 'oxc-parser';
import { PROJECT } from '../support/run/project.ts';

/** The text of files by their path in the project. */
export type Sources = ReadonlyMap<string, string>;

export interface Parsed {
  readonly path: string;
  readonly text: string;
  readonly program: Program;
  readonly comments: readonly Comment[];
  /** The line of an offset, from 1 on. */
  lineOf(offset: number): number;
}

/** Reads the TypeScript files of these folders. */
export function readSources(folders: readonly string[]): Sources {
  const paths = folders.flatMap((folder) =>
    readdirSync(join(PROJECT, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.tsx?$/.test(path))
      .map((path) => join(folder, path)),
  );
  return new Map(paths.toSorted().map((path) => [path, readFileSync(join(PROJECT, path), 'utf8')]));
}

export function isTest(path: string): boolean {
  return /\.test\.tsx?$/.test(path);
}

export function parse(path: string, text: string): Parsed {
  const { program, comments, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path} cannot be parsed: ${errors[0]?.message}`);
  const starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  return {
    path,
    text,
    program,
    comments,
    lineOf(offset) {
      let [low, high] = [0, starts.length];
      while (high - low > 1) {
        const middle = (low + high) >> 1;
        if ((starts[middle] ?? 0) <= offset) low = middle;
        else high = middle;
      }
      return low + 1;
    },
  };
}

/** Any node of the syntax tree. */
export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

/** The nodes directly below a node. */
export function childrenOf(node: Node): readonly Node[] {
  return Object.values(node).flatMap((value) => (Array.isArray(value) ? value : [value]).filter(isNode));
}

/** Calls `visit` for a node and all nodes below it, with the nodes above. */
export function walk(
  node: Node,
  visit: (node: Node, above: readonly Node[]) => void,
  above: readonly Node[] = [],
): void {
  visit(node, above);
  const inside = [...above, node];
  for (const child of childrenOf(node)) walk(child, visit, inside);
}

/** The name of an identifier. */
export function identifierOf(node: Node | undefined): string | undefined {
  const name = node?.['name'];
  return typeof name === 'string' ? name : undefined;
}

export function rootOf({ program }: Parsed): Node {
  const root: unknown = program;
  if (!isNode(root)) throw new Error('A program is a node.');
  return root;
}

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

/** Lets several guards and tests ask the same of a file: it is found out once in a process, as long as the text is the same. */
export function oncePerFile<T>(find: (path: string, text: string) => T): (path: string, text: string) => T {
  const known = new Map<string, { readonly text: string; readonly found: T }>();
  return (path, text) => {
    const earlier = known.get(path);
    if (earlier?.text === text) return earlier.found;
    const found = find(path, text);
    known.set(path, { text, found });
    return found;
  };
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
  const found: Node[] = [];
  for (const field in node) {
    const value = node[field];
    if (Array.isArray(value)) found.push(...value.filter(isNode));
    else if (isNode(value)) found.push(value);
  }
  return found;
}

/** Calls `visit` for a node and all nodes below it. `above` has the nodes above during the call. */
export function walk(node: Node, visit: (node: Node, above: readonly Node[]) => void): void {
  const above: Node[] = [];
  const go = (one: Node): void => {
    visit(one, above);
    above.push(one);
    for (const child of childrenOf(one)) go(child);
    above.pop();
  };
  go(node);
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

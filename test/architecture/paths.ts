// Paths of operations that a client writes by hand. Clients name operations, so that a renamed one does not compile.
import { DEMO_TABLES } from '../../src/demo/demoTables.ts';
import { INTERFACE } from '../../src/wire/client/interface.ts';
import type { Operations } from '../../src/wire/operations/operations.ts';
import { castsIn } from './casts.ts';
import type { Parsed } from './sources.ts';
import { rootOf, walk } from './sources.ts';

const TABLES: readonly Operations[] = Object.values({ ...INTERFACE, ...DEMO_TABLES });

function firstPart(path: string): string {
  return /^\/(\w+)(?=[/?]|$)/.exec(path)?.[1] ?? '';
}

/** The first parts of all paths, and the usual {root}. */
const BEGINNINGS: ReadonlySet<string> = new Set([
  'admin',
  ...TABLES.flatMap((table) => Object.values(table)).map(({ path }) => firstPart(path)),
]);

/** Files with a path that they may have: it is not below {root}, or it is a row. */
export const PERMITTED: Readonly<Record<string, readonly string[]>> = {
  'src/cli/commands/tables/catalogCommands.ts': ['/services?wsdl'],
  'src/cli/remote/serverAddress.ts': ['/admin'],
  'src/cli/remote/simulationOperations.ts': ['/demo/faults', '/demo/faults/remove', '/demo/settings'],
  'src/console/api/server.ts': ['/admin'],
  'src/console/api/soap.ts': ['/services'],

  'src/console/catalog/soap/TryIt.tsx': ['/services'],
};

/** The pages of the console: a text that is the address of a page is a link. */
export function pagesIn(text: string): ReadonlySet<string> {
  return new Set([...text.matchAll(/^ {4}path: '([^']+)',$/gm)].map(([, path = '']) => path));
}

function isPath(text: string): boolean {
  const beginning = firstPart(text);
  return beginning !== '' && BEGINNINGS.has(beginning);
}

/** The texts of a file that are the path of an operation, or the beginning of one, and casts that make such a path of a text. */
export function pathsIn(file: Parsed, pages: ReadonlySet<string>): readonly string[] {
  const found: string[] = [];
  walk(rootOf(file), (node) => {
    const value = node.type === 'TemplateElement' ? Object(node['value']).cooked : node['value'];
    if (typeof value === 'string' && isPath(value) && !pages.has(value)) found.push(value);
  });
  const casts = castsIn(file).filter(({ type }) => /^(Address|Template)\b/.test(type));
  return [...found, ...casts.map(({ type }) => `as ${type}`)];
}

// Which room may import which, and the package that each may use. ARCHITECTURE.md draws the same floors.
import { dirname, join, normalize } from 'node:path';
import { circlesIn } from './circles.ts';
import { isTest, oncePerFile, readSources } from '../sources.ts';
import type { Sources } from '../sources.ts';

/** They own the rules. */
const AREAS = ['access', 'catalog', 'webhooks', 'jobs', 'upgrades', 'system'];

/** The file of the room `wire` that the console imports: it has no rows, so the console stays small. */
const CALL = 'wire/client/call.ts';
/** What the console shares with the command line to show texts of other parties. */
const TEXTS = ['foundation/text/listed.ts', 'foundation/text/printable.ts'];

/** What each room may import; `types:` only as types. */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  foundation: [],
  model: ['foundation'],
  access: ['foundation', 'model'],
  catalog: ['foundation', 'model'],
  webhooks: ['foundation', 'model', 'jobs'],
  jobs: ['foundation', 'model'],
  upgrades: ['foundation', 'model', 'jobs'],
  system: ['foundation', 'model'],
  store: ['foundation', 'model', ...AREAS.map((area) => `types:${area}`)],
  drivers: ['foundation', 'model', ...AREAS.map((area) => `types:${area}`)],
  wire: ['foundation', 'model'],
  http: ['foundation', 'model', 'wire', ...AREAS],
  demo: ['foundation', 'model', 'wire', 'drivers', 'http', ...AREAS],
  cli: ['foundation', 'model', 'wire', 'types:demo'],
  console: ['model', CALL, ...TEXTS, 'types:foundation', 'types:wire', 'types:demo'],
  service: ['foundation', 'model', 'wire', 'store', 'drivers', 'http', 'demo', ...AREAS],
  'steward.ts': ['foundation', 'service', 'cli'],
};

/** The rooms that may use each package. */
export const HOMES: Readonly<Record<string, readonly string[]>> = {
  '@fastify/busboy': ['http'],
  '@kubernetes/client-node': ['drivers'],
  '@node-rs/argon2': ['access'],
  '@photostructure/sqlite': ['store'],
  '@mantine/core': ['console'],
  '@mantine/hooks': ['console'],
  '@mantine/notifications': ['console'],
  '@mantine/spotlight': ['console'],
  '@tanstack/react-query': ['console'],
  '@tanstack/react-virtual': ['console'],
  commander: ['steward.ts', 'cli'],
  cookie: ['http'],
  'fast-querystring': ['http'],
  fastify: ['http'],
  'ipaddr.js': ['drivers'],
  'js-yaml': ['wire'],
  pg: ['store', 'drivers'],
  picocolors: ['service', 'cli'],
  pino: ['service'],
  'prom-client': ['http'],
  react: ['console'],
  'react-dom': ['console'],
  saxes: ['wire'],
  typebox: ['foundation'],
  undici: ['drivers', 'cli'],
  wouter: ['console'],
};

const FORBIDDEN_NAMES = /(^|\/)(utils?|helpers?|common|types|constants|lib|manager|index)(\.ts|\/)/i;
const IMPORT = /(?:^|\n)\s*(import|export)\s+(type\s+)?[^;'"]*?from\s+'([^']+)'|\bimport\('([^']+)'\)/g;

interface Import {
  readonly target: string;
  readonly isType: boolean;
}

/** The files that are built, by their path below src. A test may import what it tests. */
export function builtSources(): Sources {
  const files = [...readSources(['src'])].filter(([path]) => !isTest(path));
  return new Map(files.map(([path, text]) => [path.replace(/^src\//, ''), text]));
}

export const importsOf = oncePerFile((_path, text): readonly Import[] =>
  [...text.matchAll(IMPORT)].map(([, , type, from, dynamic]) => ({
    target: from ?? dynamic ?? '',
    isType: type !== undefined,
  })),
);

function roomOf(path: string): string {
  return path.split('/')[0] ?? path;
}

function judge(path: string, { target, isType }: Import): string | undefined {
  const room = roomOf(path);
  const allowed = ROOMS[room];
  if (allowed === undefined) return undefined;
  if (target.startsWith('node:') || (room === 'service' && target === '../../package.json')) return undefined;
  if (target.startsWith('.')) {
    const file = normalize(join(dirname(path), target));
    const other = roomOf(file);
    const isAllowed =
      other === room ||
      allowed.includes(other) ||
      allowed.includes(file) ||
      (isType && allowed.includes(`types:${other}`));
    return isAllowed ? undefined : `${path}: ${room} may not import ${isType ? 'types of ' : ''}${other} (${target})`;
  }
  const name = target
    .split('/')
    .slice(0, target.startsWith('@') ? 2 : 1)
    .join('/');
  const homes = HOMES[name];
  if (homes === undefined) return `${path}: the package ${name} has no home`;
  return homes.includes(room) ? undefined : `${path}: ${name} is at home in ${homes.join(', ')}, not in ${room}`;
}

function cycles(sources: Sources): readonly string[] {
  const edges = new Map(
    [...sources].map(([path, text]) => [
      path,
      importsOf(path, text)
        .filter(({ target }) => target.startsWith('.'))
        .map(({ target }) => normalize(join(dirname(path), target))),
    ]),
  );
  return circlesIn(edges).map((circle) => `import cycle: ${circle.join(' → ')}`);
}

const fileViolations = oncePerFile((path, text): readonly string[] => {
  const found: string[] = [];
  if (ROOMS[roomOf(path)] === undefined) found.push(`${path}: there is no such room`);
  if (FORBIDDEN_NAMES.test(path)) found.push(`${path}: a name that says nothing`);
  if (/^export \* from|^export \{[^}]*\} from/m.test(text)) found.push(`${path}: a barrel`);
  if (/^export default/m.test(text)) found.push(`${path}: a default export`);
  if (/^(export )?(const )?enum /m.test(text)) found.push(`${path}: an enum`);
  return [...found, ...importsOf(path, text).flatMap((one) => judge(path, one) ?? [])];
});

/** What the architecture forbids in these sources, in words. */
export function violations(sources: Sources): readonly string[] {
  return [...[...sources].flatMap(([path, text]) => fileViolations(path, text)), ...cycles(sources)];
}

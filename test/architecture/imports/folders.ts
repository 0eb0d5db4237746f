// Inside a folder, the folders and the files beside them import each other in one direction, so that each can be read without
// those that are built on it. A folder and the files beside its own folders are one: only what is side by side is compared.
import { dirname, join, normalize } from 'node:path';
import { circlesIn } from './circles.ts';
import { importsOf } from './imports.ts';
import type { Sources } from '../sources.ts';

/** The order of the folders in a room: each may import those before it. The files beside them may import all, and no folder imports those. */
const ORDERS: Readonly<Record<string, readonly string[]>> = {
  upgrades: ['values', 'ports', 'versions', 'objects', 'plan', 'journal', 'failure', 'request', 'run'],
};

interface FileImport {
  readonly from: string;
  readonly to: string;
}

/** The imports between files of the same room. */
function importsInside(sources: Sources): readonly FileImport[] {
  return [...sources].flatMap(([from, text]) =>
    importsOf(from, text)
      .filter(({ target }) => target.startsWith('.'))
      .map(({ target }) => ({ from, to: normalize(join(dirname(from), target)) }))
      .filter(({ to }) => to.split('/')[0] === from.split('/')[0]),
  );
}

/** The innermost folder that has both files, and what is directly in it on the way to each. */
function meetingOf({ from, to }: FileImport) {
  const [a, b] = [from.split('/'), to.split('/')];
  const depth = a.findIndex((part, n) => part !== b[n]);
  return { folder: a.slice(0, depth).join('/'), user: a[depth] ?? '', used: b[depth] ?? '' };
}

/** Circles of folders, and of folders with files beside them, each with an import for every arrow. */
function circles(imports: readonly FileImport[]): readonly string[] {
  const folders = new Map<string, Map<string, Map<string, FileImport>>>();
  for (const one of imports) {
    const { folder, user, used } = meetingOf(one);
    if (user === used) continue;
    const users = folders.get(folder) ?? new Map<string, Map<string, FileImport>>();
    const uses = users.get(user) ?? new Map<string, FileImport>();
    folders.set(folder, users.set(user, uses.set(used, uses.get(used) ?? one)));
  }
  return [...folders].flatMap(([folder, users]) =>
    circlesIn(new Map([...users].map(([user, uses]) => [user, uses.keys()]))).map((circle) => {
      const proofs = circle.slice(1).map((used, n) => users.get(circle[n] ?? '')?.get(used));
      const shown = proofs.map((one) => `${one?.from} imports ${one?.to}`).join('; ');
      return `circle of folders in ${folder}: ${circle.join(' → ')} (${shown})`;
    }),
  );
}

/** Imports against the order of a room, and folders that have no place in it. */
function disorder(sources: Sources, imports: readonly FileImport[]): readonly string[] {
  return Object.entries(ORDERS).flatMap(([room, order]) => {
    const inRoom = (path: string): readonly string[] | undefined =>
      path.startsWith(`${room}/`) ? path.split('/').slice(1) : undefined;
    const unplaced = [...sources.keys()].filter((path) => {
      const [folder = '', ...rest] = inRoom(path) ?? [];
      return rest.length > 0 && !order.includes(folder);
    });
    const against = imports.filter(({ from, to }) => {
      const place = order.indexOf(inRoom(from)?.[0] ?? '');
      const used = order.indexOf(inRoom(to)?.[0] ?? '');
      return place >= 0 && (used < 0 || used > place);
    });
    return [
      ...unplaced.map((path) => `${path}: its folder has no place in the order of ${room}`),
      ...against.map(({ from, to }) => `${from} may not import ${to}: the order is ${order.join(', ')}`),
    ];
  });
}

/** What is wrong with the imports between the folders of each room, by paths below src. */
export function folderProblems(sources: Sources): readonly string[] {
  const imports = importsInside(sources);
  return [...circles(imports), ...disorder(sources, imports)];
}

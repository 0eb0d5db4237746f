import type { DocumentMap, DocumentStore } from '../../foundation/documentStore.ts';
import { json, text } from '../engine/codec.ts';
import type { Script } from '../engine/script.ts';
import { rows } from '../engine/script.ts';
import { table } from '../engine/table.ts';
import type { TableDependencies } from '../transaction.ts';
import { transaction } from '../transaction.ts';

const documents = table('document', { name: text('name'), content: json<unknown>('content') });
const putDocument = documents.upserter('name');

/**
 * One statement that locks in the order of names, so that two callers with several prefixes cannot deadlock. Names are
 * compared byte by byte, so the names with a prefix are between it and it followed by the last character.
 */
export function* readByPrefix(prefixes: readonly string[], forUpdate = ''): Script<DocumentMap> {
  if (prefixes.length === 0) return new Map();
  const ranges = prefixes.map((_, n) => `(name >= $${2 * n + 1} and name < $${2 * n + 2})`);
  const found = yield* documents.all(
    `${documents.select} where ${ranges.join(' or ')} order by name${forUpdate}`,
    ...prefixes.flatMap((prefix) => [prefix, `${prefix}\u{10ffff}`]),
  );
  return new Map(found.map(({ name, content }) => [name, content]));
}

/** Implements the port for small documents. */
export function createDocumentStore(dependencies: TableDependencies): DocumentStore {
  const { engine } = dependencies;
  return {
    read: (...prefixes) => engine.read(readByPrefix(prefixes)),

    change: (prefixes, decide) =>
      transaction(dependencies, { closedWhen: 'never' }, function* () {
        for (const [name, content] of decide(yield* readByPrefix(prefixes, engine.dialect.forUpdate))) {
          if (content === undefined) yield* rows('delete from document where name = $1', name);
          else yield* putDocument({ name, content });
        }
      }),
  };
}

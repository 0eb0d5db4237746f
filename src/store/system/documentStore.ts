import type { DocumentMap, DocumentStore } from '../../foundation/documentStore.ts';
import { json, text } from '../engine/codec.ts';
import type { Row } from '../engine/script.ts';
import { rows } from '../engine/script.ts';
import { table } from '../engine/table.ts';
import type { TableDependencies } from '../transaction.ts';
import { transaction } from '../transaction.ts';

const documents = table('document', { name: text('name'), content: json<unknown>('content') });
const putDocument = documents.upserter('name');

/** One statement that locks in the order of names, so that two callers with several prefixes cannot deadlock. */
function selectByPrefix(prefixes: readonly string[]): string {
  const ranges = prefixes.map((_, n) => `(name >= $${2 * n + 1} and name < $${2 * n + 2})`);
  return `${documents.select} where ${ranges.join(' or ')} order by name`;
}

/** Names are compared byte by byte, so the names with a prefix are between it and it followed by the last character. */
function rangeOf(prefix: string): readonly [string, string] {
  return [prefix, `${prefix}\u{10ffff}`];
}

function mapOf(found: readonly Row[]): DocumentMap {
  return new Map(documents.readAll(found).map(({ name, content }) => [name, content]));
}

/** Implements the port for small documents. */
export function createDocumentStore(dependencies: TableDependencies): DocumentStore {
  const { engine } = dependencies;
  return {
    read: async (...prefixes) =>
      prefixes.length === 0
        ? new Map()
        : mapOf(await engine.query(selectByPrefix(prefixes), ...prefixes.flatMap(rangeOf))),

    change: (prefixes, decide) =>
      transaction(dependencies, { closedWhen: 'never' }, function* () {
        const found: readonly Row[] =
          prefixes.length === 0
            ? []
            : yield* rows(selectByPrefix(prefixes) + engine.dialect.forUpdate, ...prefixes.flatMap(rangeOf));
        for (const [name, content] of decide(mapOf(found))) {
          if (content === undefined) yield* rows('delete from document where name = $1', name);
          else yield* putDocument({ name, content });
        }
      }),
  };
}

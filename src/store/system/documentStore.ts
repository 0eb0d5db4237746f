import type { DocumentStore, DocumentMap } from '../../foundation/documentStore.ts';
import type { TableDependencies } from '../transaction.ts';
import { transaction } from '../transaction.ts';
import type { Row } from '../engine/script.ts';
import { document, rows, text, toDocument } from '../engine/script.ts';

/** All in one look, and locked in the order of their names: who asks for several never waits crosswise for another. */
function named(prefixes: readonly string[]): string {
  const ranges = prefixes.map((_, n) => `(name >= $${2 * n + 1} and name < $${2 * n + 2})`);
  return `select name, content from document where ${ranges.join(' or ')} order by name`;
}

/** Names are compared byte by byte, so all that begin with a prefix stand between it and its successor. */
function range(prefix: string): readonly [string, string] {
  return [prefix, `${prefix}\u{10ffff}`];
}

function foundOf(found: readonly Row[]): DocumentMap {
  return new Map(found.map((one) => [text(one, 'name'), document(one, 'content')]));
}

export function createDocumentStore(needs: TableDependencies): DocumentStore {
  const { engine } = needs;
  return {
    async read(...prefixes) {
      return prefixes.length === 0
        ? new Map()
        : foundOf(await engine.query(named(prefixes), ...prefixes.flatMap(range)));
    },
    change: (prefixes, decide) =>
      transaction(needs, { closedWhen: 'never' }, function* () {
        const found: readonly Row[] =
          prefixes.length === 0
            ? []
            : yield* rows(named(prefixes) + engine.dialect.forUpdate, ...prefixes.flatMap(range));
        for (const [name, content] of decide(foundOf(found))) {
          if (content === undefined) yield* rows('delete from document where name = $1', name);
          else
            yield* rows(
              'insert into document (name, content) values ($1, $2) on conflict (name) do update set content = excluded.content',
              name,
              toDocument(content),
            );
        }
      }),
  };
}

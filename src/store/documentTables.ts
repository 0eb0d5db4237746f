import type { Documents, Found } from '../foundation/documents.ts';
import type { ChangeNeeds } from './change.ts';
import { change } from './change.ts';
import type { Row } from './script.ts';
import { document, rows, text, toDocument } from './script.ts';

const NAMED = 'select name, content from document where name >= $1 and name < $2 order by name';

/** Names are compared byte by byte, so all that begin with a prefix stand between it and its successor. */
function range(prefix: string): readonly [string, string] {
  return [prefix, `${prefix}\u{10ffff}`];
}

function foundOf(found: readonly Row[]): Found {
  return new Map(found.map((one) => [text(one, 'name'), document(one, 'content')]));
}

export function documentTables(needs: ChangeNeeds): Documents {
  const { engine } = needs;
  return {
    async read(...prefixes) {
      const found = await Promise.all(prefixes.map((prefix) => engine.query(NAMED, ...range(prefix))));
      return foundOf(found.flat());
    },
    change: (prefixes, decide) =>
      change(needs, { closedWhen: 'never' }, function* () {
        const found: Row[] = [];
        for (const prefix of prefixes) found.push(...(yield* rows(NAMED + engine.dialect.forUpdate, ...range(prefix))));
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

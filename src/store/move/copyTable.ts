import type { Engine } from '../engine/engine.ts';
import type { Script } from '../engine/script.ts';
import { rows } from '../engine/script.ts';
import type { TableProgress } from '../engine/moveMarker.ts';
import { readProgress, setProgress } from '../engine/moveMarker.ts';
import type { TableLayout } from './tableLayout.ts';
import type { PageLimits } from './tablePages.ts';
import { createTableReader } from './tablePages.ts';

/** The two stores of a move. The source does not change while the move has it. */
export interface MoveEngines {
  readonly source: Engine;
  readonly target: Engine;
}

export interface CopyOptions extends MoveEngines {
  readonly limits: PageLimits;
  /** Throws if the source may be changed by others now. */
  readonly checkSource: () => void;
  readonly onCopied: (progress: TableProgress) => void;
}

/**
 * Copies a table, from where an earlier run stopped. Rows and cursor are written in one transaction. The cursor is compared under
 * lock: a commit of a killed run may still arrive after this one has begun.
 */
export async function copyTable(layout: TableLayout, options: CopyOptions): Promise<TableProgress> {
  const { source, target, limits, checkSource, onCopied } = options;
  const { name, columns } = layout;
  const { forUpdate, relation, batch } = target.dialect;
  const reader = createTableReader(source.dialect, layout);
  const list = (prefix: string): string => columns.map((column) => prefix + column.name).join(', ');
  const INSERT = `insert into ${name} (${list('')}) select ${list('item.')} from ${relation('$1', columns)}`;

  let progress = await target.read(readProgress(name));
  while (!progress.isCopied) {
    const { cursor, copied } = progress;
    const page = await source.read(reader.readPage(cursor, limits));
    checkSource();
    progress = await target.write('shared', function* (): Script<TableProgress> {
      const found = yield* readProgress(name, forUpdate);
      if (JSON.stringify(found.cursor) !== JSON.stringify(cursor) || found.isCopied) return found;
      if (page.rows.length > 0) yield* rows(INSERT, batch(columns, page.rows));
      const next = {
        table: name,
        cursor: page.last ?? cursor,
        copied: copied + page.rows.length,
        isCopied: page.isLast,
      };
      yield* setProgress(next);
      return next;
    });
    onCopied(progress);
  }
  return progress;
}

/** Removes the copy of a table, which is then copied again from its first row. */
export async function clearTable({ name }: TableLayout, { target }: Pick<MoveEngines, 'target'>): Promise<void> {
  // As a migration, because there is no time limit for one.
  await target.write('migration', function* (): Script<void> {
    yield* rows(`delete from ${name}`);
    yield* setProgress({ table: name, cursor: undefined, copied: 0, isCopied: false });
  });
}

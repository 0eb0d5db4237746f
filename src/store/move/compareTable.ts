import { createHash } from 'node:crypto';
import type { CopyOptions } from './copyTable.ts';
import type { TableLayout } from './tableLayout.ts';
import type { Key } from './tablePages.ts';
import { createTableReader } from './tablePages.ts';

/** One side of a comparison. */
export interface TableContent {
  readonly rows: number;
  /** SHA-256 over all rows, in the order of the primary key. */
  readonly checksum: string;
}

export interface Comparison {
  readonly table: string;
  readonly source: TableContent;
  readonly target: TableContent;
  readonly isEqual: boolean;
}

function createDigest() {
  const hash = createHash('sha256');
  let count = 0;
  return {
    add(found: readonly Key[]): void {
      for (const row of found) hash.update(`${JSON.stringify(row)}\n`);
      count += found.length;
    },
    content: (): TableContent => ({ rows: count, checksum: hash.digest('hex') }),
  };
}

/** Reads a table on both sides, row for row, and compares the rows. */
export async function compareTable(
  layout: TableLayout,
  { source, target, limits, checkSource }: Omit<CopyOptions, 'onCopied'>,
): Promise<Comparison> {
  const [ours, theirs] = [createTableReader(source.dialect, layout), createTableReader(target.dialect, layout)];
  const digests = { source: createDigest(), target: createDigest() };
  let isEqual = true;
  let cursor: Key | undefined;
  for (let isLast = false; !isLast;) {
    const page = await source.read(ours.readPage(cursor, limits));
    checkSource();
    // After the last page of the source, the target must have no more rows.
    const copied = await target.read(theirs.readRange(cursor, page.isLast ? undefined : page.last));
    digests.source.add(page.rows);
    digests.target.add(copied);
    isEqual &&= JSON.stringify(page.rows) === JSON.stringify(copied);
    ({ isLast } = page);
    cursor = page.last ?? cursor;
  }
  return { table: layout.name, source: digests.source.content(), target: digests.target.content(), isEqual };
}

// Tables that fit the terminal: the widest columns are shortened first, and where that is not enough each row becomes a block
// of lines. What other commands take, such as an id, is never shortened. Where the output is not a terminal, nothing is.
import { displayWidth, fitText, padText } from './displayWidth.ts';
import { brokenText, hangingText } from './wrappedText.ts';

export interface TableColumn {
  readonly title: string;
  readonly isNumber: boolean;
  /** Whether its cells are never shortened. */
  readonly isWhole?: boolean;
}

const GAP = '  ';
/** A column that needs shortening keeps at least this many characters. */
const LEAST = 12;

/** Shortens the widest column that may be shortened until all fit; undefined if they cannot. */
function fittedWidths(
  columns: readonly TableColumn[],
  natural: readonly number[],
  available: number,
): readonly number[] | undefined {
  const widths = [...natural];
  const room = available - GAP.length * (widths.length - 1);
  let excess = widths.reduce((sum, width) => sum + width, 0) - room;
  while (excess > 0) {
    const elastic = widths.map((width, n) => (columns[n]?.isWhole === true ? 0 : width));
    const widest = Math.max(...elastic);
    if (widest <= LEAST) return undefined;
    const second = Math.max(LEAST, ...elastic.filter((width) => width < widest));
    const step = Math.min(excess, Math.max(1, widest - second));
    widths[elastic.indexOf(widest)] = Math.max(LEAST, widest - step);
    excess = widths.reduce((sum, width) => sum + width, 0) - room;
  }
  return widths;
}

function blocks(columns: readonly TableColumn[], rows: readonly (readonly string[])[], width: number): string {
  const label = Math.max(...columns.map(({ title }) => displayWidth(title)));
  const lines = (row: readonly string[]): string =>
    columns
      .map(({ title }, n) => hangingText(padText(title, label, 'right') + GAP, brokenText(row[n] ?? '', width), width))
      .join('');
  return rows.map(lines).join('\n');
}

/** Renders rows of cells. `width` is undefined if the output is not a terminal. */
export function renderTable(
  columns: readonly TableColumn[],
  rows: readonly (readonly string[])[],
  width: number | undefined,
): string {
  const natural = columns.map(({ title }, n) =>
    Math.max(displayWidth(title), ...rows.map((row) => displayWidth(row[n] ?? ''))),
  );
  const widths = width === undefined ? natural : fittedWidths(columns, natural, width);
  if (widths === undefined) return blocks(columns, rows, width ?? 0);
  const line = (cells: readonly string[]): string =>
    `${cells
      .map((cell, n) => padText(fitText(cell, widths[n] ?? 0), widths[n] ?? 0, columns[n]?.isNumber ? 'left' : 'right'))
      .join(GAP)
      .trimEnd()}\n`;
  return [columns.map(({ title }) => title), ...rows].map(line).join('');
}

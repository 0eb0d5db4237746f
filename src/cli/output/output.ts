import { isObject, valueAt } from '../../foundation/schema/json.ts';
import type { Shape } from '../../foundation/schema/shape.ts';
import type { Streams } from '../remote/streams.ts';
import { renderRecord, renderRows } from './record.ts';
import { itemShape, shapeAt, textAt } from './values.ts';

export interface TableView {
  readonly kind: 'table';
  /** The field with the list; undefined if the answer is the list. */
  readonly list: string | undefined;
  readonly columns: readonly string[];
  readonly id: string;
  /** The columns that other commands take as arguments, for `-o name`; the id by default. They are never shortened. */
  readonly name?: readonly string[];
  /** Other columns that are never shortened. */
  readonly whole?: readonly string[];
  /** What is said of an empty list. */
  readonly empty: string;
  /** What else the answer says, after all columns of the table. */
  readonly after?: (answer: unknown) => string;
  /** Makes the rows of an answer, if they have more columns than its list has fields. */
  readonly rows?: (answer: unknown) => readonly unknown[];
}

/**
 * How the answer of a command is shown. `id` is the path of what `--quiet` prints; without it, it prints nothing. `name` is that of
 * what `-o name` prints, if it is not the same.
 */
export type View =
  | TableView
  | {
      readonly kind: 'record';
      readonly at?: string;
      readonly id?: string;
      readonly name?: string;
      readonly after?: string;
    }
  | {
      readonly kind: 'text';
      readonly text: (answer: unknown, width: number | undefined) => string;
      readonly id?: string;
      readonly name?: string;
    };

export interface OutputFlags {
  readonly json?: true;
  readonly quiet?: true;
  /** Set if what other commands take is printed. */
  readonly names?: true;
  /** The columns of a table, if they were chosen. */
  readonly columns?: readonly string[];
}

/** The list of an answer. */
export function listOf(answer: unknown, list: string | undefined): readonly unknown[] {
  const found = list === undefined ? answer : valueAt(answer, list);
  return Array.isArray(found) ? found : [];
}

function rowsOf({ rows, list }: TableView, answer: unknown): readonly unknown[] {
  return rows === undefined ? listOf(answer, list) : rows(answer);
}

function lines(texts: readonly string[]): string {
  return texts
    .filter((text) => text !== '')
    .map((text) => `${text}\n`)
    .join('');
}

function idText(view: View, answer: unknown): string {
  const path = view.id?.split('.') ?? [];
  if (path.length === 0) return '';
  return lines((view.kind === 'table' ? rowsOf(view, answer) : [answer]).map((row) => textAt(row, ...path)));
}

/** What names the rows of a table in the arguments of other commands. */
function namesOf({ name, id }: TableView): readonly string[] {
  return name ?? [id];
}

function nameText(view: View, answer: unknown): string {
  if (view.kind !== 'table') return idText({ ...view, ...(view.name !== undefined && { id: view.name }) }, answer);
  const nameOf = (row: unknown): string =>
    namesOf(view)
      .map((path) => textAt(row, ...path.split('.')))
      .filter((text) => text !== '')
      .join(' ');
  return lines(rowsOf(view, answer).map(nameOf));
}

function recordText(answer: unknown, at: string | undefined, shape: Shape, width: number | undefined): string {
  const value = at === undefined ? answer : valueAt(answer, at);
  if (!isObject(value)) return '';
  // A success has a status beside its values. The exit code says the same.
  const { status, ...rest } = value;
  const shown = status === 'success' ? rest : value;
  return renderRecord(shown, at === undefined ? shape : shapeAt(shape, at), width);
}

/** The shape of a row, as far as the interface describes it. */
export function rowShape({ list }: TableView, shape: Shape): Shape | undefined {
  return itemShape(list === undefined ? shape : shapeAt(shape, list));
}

function viewText(view: View, answer: unknown, shape: Shape, width: number | undefined): string {
  switch (view.kind) {
    case 'text':
      return view.text(answer, width);
    case 'record':
      return recordText(answer, view.at, shape, width) + (view.after === undefined ? '' : `${view.after}\n`);
    case 'table': {
      const rows = rowsOf(view, answer);
      const whole = [...namesOf(view), ...(view.whole ?? [])];
      return rows.length === 0 ? '' : renderRows(rows, rowShape(view, shape), view.columns, width, whole);
    }
    default:
      return view satisfies never;
  }
}

/** Prints the answer of a command. What a script reads is on standard output, and hints are on standard error. */
export function printAnswer(
  streams: Pick<Streams, 'print' | 'printError' | 'width'>,
  flags: OutputFlags,
  view: View,
  answer: unknown,
  shape: Shape,
): void {
  if (flags.json === true) return streams.print(`${JSON.stringify(answer, null, 2)}\n`);
  if (flags.names === true) return streams.print(nameText(view, answer));
  if (flags.quiet === true) return streams.print(idText(view, answer));
  if (view.kind !== 'table') return streams.print(viewText(view, answer, shape, streams.width));
  if (rowsOf(view, answer).length === 0) streams.printError(`${view.empty}\n`);
  const { columns = view.columns } = flags;
  streams.print(viewText({ ...view, columns }, answer, shape, streams.width));
  if (flags.columns === undefined) streams.print(view.after?.(answer) ?? '');
  const next = valueAt(answer, 'next');
  if (typeof next === 'string') streams.printError(`There are more. The next page starts after ${next}.\n`);
}

import { isObject, valueAt } from '../../foundation/schema/json.ts';
import type { Shape } from '../../foundation/schema/shape.ts';
import type { Streams } from '../remote/streams.ts';
import { renderRecord, renderRows } from './record.ts';
import { itemShape, shapeAt, textAt } from './values.ts';

/** How the answer of a command is shown. `id` is the path of what `--quiet` prints; without it, it prints nothing. */
export type View =
  | {
      readonly kind: 'table';
      /** The field with the list; undefined if the answer is the list. */
      readonly list: string | undefined;
      readonly columns: readonly string[];
      readonly id: string;
      /** What is said of an empty list. */
      readonly empty: string;
    }
  | { readonly kind: 'record'; readonly at?: string; readonly id?: string; readonly after?: string }
  | { readonly kind: 'text'; readonly text: (answer: unknown) => string; readonly id?: string };

export interface OutputFlags {
  readonly json?: true;
  readonly quiet?: true;
}

function rowsOf(answer: unknown, list: string | undefined): readonly unknown[] {
  const found = list === undefined ? answer : valueAt(answer, list);
  return Array.isArray(found) ? found : [];
}

function quietText(view: View, answer: unknown): string {
  const path = view.id?.split('.') ?? [];
  if (path.length === 0) return '';
  const rows = view.kind === 'table' ? rowsOf(answer, view.list) : [answer];
  return rows
    .map((row) => textAt(row, ...path))
    .filter((text) => text !== '')
    .map(
      (text) => `${text}
`,
    )
    .join('');
}

function recordText(answer: unknown, at: string | undefined, shape: Shape, width: number | undefined): string {
  const value = at === undefined ? answer : valueAt(answer, at);
  if (!isObject(value)) return '';
  // A success has a status beside its values. The exit code says the same.
  const { status, ...rest } = value;
  const shown = status === 'success' ? rest : value;
  return renderRecord(shown, at === undefined ? shape : shapeAt(shape, at), width);
}

function viewText(view: View, answer: unknown, shape: Shape, { width }: Streams): string {
  switch (view.kind) {
    case 'text':
      return view.text(answer);
    case 'record':
      return recordText(answer, view.at, shape, width) + (view.after === undefined ? '' : `${view.after}\n`);
    case 'table': {
      const rows = rowsOf(answer, view.list);
      if (rows.length === 0) return '';
      return renderRows(
        rows,
        itemShape(view.list === undefined ? shape : shapeAt(shape, view.list)),
        view.columns,
        width,
      );
    }
    default:
      return view satisfies never;
  }
}

/** Prints the answer of a command. What a script reads is on standard output, and hints are on standard error. */
export function printAnswer(streams: Streams, flags: OutputFlags, view: View, answer: unknown, shape: Shape): void {
  if (flags.json === true) {
    streams.print(`${JSON.stringify(answer, null, 2)}\n`);
    return;
  }
  if (flags.quiet === true) {
    streams.print(quietText(view, answer));
    return;
  }
  if (view.kind === 'table' && rowsOf(answer, view.list).length === 0) streams.printError(`${view.empty}\n`);
  streams.print(viewText(view, answer, shape, streams));
  const next = valueAt(answer, 'next');
  if (view.kind === 'table' && typeof next === 'string')
    streams.printError(`There are more. The next page starts after ${next}.\n`);
}

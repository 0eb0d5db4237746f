// Shows an object as lines of name and value. Objects and lists inside it follow below their name.
import { printable } from '../../foundation/text/printable.ts';
import type { JsonObject } from '../../foundation/schema/json.ts';
import { isObject, valueAt } from '../../foundation/schema/json.ts';
import type { Shape } from '../../foundation/schema/shape.ts';
import { padText } from './displayWidth.ts';
import { renderTable } from './table.ts';
import { hangingText } from './wrappedText.ts';
import { isNumeric, itemShape, shapeAt, titleOf, valueText } from './values.ts';

const INDENT = '  ';

function indent(text: string): string {
  return text.replace(/^(?=.)/gm, INDENT);
}

function isListOfObjects(value: unknown): value is readonly JsonObject[] {
  return Array.isArray(value) && value.length > 0 && value.every(isObject);
}

/** Ids are what other commands take, so they are never shortened. */
const ID = /^id$|I[dD]$/;

/** Renders a list of objects as a table with these columns, which may be paths such as `ledger.pending`. */
export function renderRows(
  rows: readonly unknown[],
  shape: Shape | undefined,
  names: readonly string[],
  width: number | undefined,
  whole: readonly string[] = [],
): string {
  const columns = names.map((name) => ({
    title: titleOf(name).toUpperCase(),
    isNumber: isNumeric(shapeAt(shape, ...name.split('.'))),
    isWhole: whole.includes(name) || ID.test(name),
  }));
  const cells = rows.map((row) =>
    names.map((name) => valueText(valueAt(row, ...name.split('.')), shapeAt(shape, ...name.split('.')))),
  );
  return renderTable(columns, cells, width);
}

function inner(value: unknown, shape: Shape | undefined, width: number | undefined): string {
  const narrower = width === undefined ? undefined : width - INDENT.length;
  if (isListOfObjects(value)) {
    const items = itemShape(shape);
    const names = [...new Set(value.flatMap(Object.keys))];
    return indent(renderRows(value, items, names, narrower));
  }
  if (isObject(value)) return indent(renderRecord(value, shape, narrower));
  const lines = typeof value === 'string' ? value.split(/\r?\n/) : [];
  return indent(`${lines.map(printable).join('\n')}\n`);
}

function isBlock(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\n');
  return (isObject(value) && Object.keys(value).length > 0) || isListOfObjects(value);
}

export function renderRecord(value: object, shape: Shape | undefined, width: number | undefined): string {
  const entries = Object.entries(value);
  const label = Math.max(0, ...entries.filter(([, one]) => !isBlock(one)).map(([name]) => titleOf(name).length));
  return entries
    .map(([name, one]) => {
      const at = shapeAt(shape, name);
      if (isBlock(one)) return `${titleOf(name)}\n${inner(one, at, width)}`;
      return hangingText(padText(titleOf(name), label, 'right') + INDENT, valueText(one, at), width);
    })
    .join('');
}

// Shows values of answers as text, by the shape of the answer: times, yes and no, and everything else without characters that
// would move the cursor.
import { printable } from '../../foundation/text/printable.ts';
import { isObject, valueAt } from '../../foundation/schema/json.ts';
import type { Shape } from '../../foundation/schema/shape.ts';

const NONE = '–';

/** Also what flags such as --since accept. */
export function timeText(at: number): string {
  return new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** Returns the shape of a property. A shape that may be null has its properties in one of its choices. */
export function shapeAt(shape: Shape | undefined, ...path: readonly string[]): Shape | undefined {
  return path.reduce<Shape | undefined>((at, name) => {
    const anyOf: unknown = at?.['anyOf'];
    const found = [at, ...(Array.isArray(anyOf) ? anyOf : [])]
      .map((one) => valueAt(one, 'properties', name))
      .find((one) => one !== undefined);
    return isObject(found) ? found : undefined;
  }, shape);
}

export function itemShape(shape: Shape | undefined): Shape | undefined {
  const items = shape?.['items'];
  return isObject(items) ? items : undefined;
}

function isTime(shape: Shape | undefined): boolean {
  if (shape?.['format'] === 'int64') return true;
  const choices = shape?.['anyOf'];
  return Array.isArray(choices) && choices.some((one: Shape) => one['format'] === 'int64');
}

/** Returns the text of a value at a path; empty if there is none. */
export function textAt(value: unknown, ...path: readonly string[]): string {
  const found = valueAt(value, ...path);
  return typeof found === 'string' || typeof found === 'number' || typeof found === 'boolean' ? String(found) : '';
}

export function isNumeric(shape: Shape | undefined): boolean {
  return shape?.['type'] === 'integer' && !isTime(shape);
}

/** A text on one line: its line breaks become spaces. */
export function lineText(text: string): string {
  return printable(text.replace(/\s*\n\s*/g, ' '));
}

export function valueText(value: unknown, shape: Shape | undefined): string {
  if (value === null || value === undefined || value === '') return NONE;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return isTime(shape) ? timeText(value) : String(value);
  if (typeof value === 'string') return lineText(value);
  if (Array.isArray(value)) {
    if (value.length === 0) return NONE;
    return value.map((one) => (typeof one === 'string' ? lineText(one) : JSON.stringify(one))).join(', ');
  }
  return printable(JSON.stringify(value));
}

/** Makes words of a name in the interface: "hookUrl" becomes "hook url". */
export function titleOf(name: string): string {
  return (name.split('.').at(-1) ?? name).replace(/([a-z\d])([A-Z])/g, '$1 $2').toLowerCase();
}

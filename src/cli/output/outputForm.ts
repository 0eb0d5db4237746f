// The flag -o: what a command prints. The columns that can be chosen follow from the table and from the shape of its rows.
import { nearestName } from '../../foundation/text/nearestName.ts';
import { isObject } from '../../foundation/schema/json.ts';
import type { Shape } from '../../foundation/schema/shape.ts';
import { CommandFailure } from '../remote/exitCodes.ts';
import type { OutputFlags, TableView, View } from './output.ts';
import { rowShape } from './output.ts';

const COLUMNS = 'columns=';

/** The properties of a shape; those of its choices if it may be null. */
function propertiesOf(shape: unknown): Readonly<Record<string, unknown>> {
  if (!isObject(shape)) return {};
  const { properties, anyOf } = shape;
  if (isObject(properties)) return properties;
  return Array.isArray(anyOf) ? Object.assign({}, ...anyOf.map(propertiesOf)) : {};
}

/** The fields of an object as paths, with those of the objects inside it. */
function pathsIn(shape: unknown): readonly string[] {
  return Object.entries(propertiesOf(shape)).flatMap(([name, at]) => {
    const below = pathsIn(at);
    return below.length === 0 ? [name] : below.map((path) => `${name}.${path}`);
  });
}

/** All columns of a table; first those that it shows. */
export function knownColumns(view: TableView, shape: Shape): readonly string[] {
  return [...new Set([...view.columns, ...pathsIn(rowShape(view, shape))])];
}

function chosenColumns(text: string, view: View, shape: Shape): readonly string[] {
  if (view.kind !== 'table') throw new CommandFailure('usage', '-o columns=… is for lists. Use -o json.');
  const known = knownColumns(view, shape);
  const chosen = text.split(',').map((name) => name.trim());
  const unknown = chosen.find((name) => !known.includes(name));
  if (unknown === undefined) return chosen;
  throw new CommandFailure(
    'usage',
    `There is no column "${unknown}". The nearest name is ${nearestName(unknown, known)}. The columns are: ${known.join(', ')}.`,
  );
}

/** Reads the flag -o. */
export function readOutputForm(form: string | undefined, view: View, shape: Shape): OutputFlags {
  if (form === undefined) return {};
  if (form === 'json') return { json: true };
  if (form === 'name') return { quiet: true, names: true };
  if (form.startsWith(COLUMNS)) return { columns: chosenColumns(form.slice(COLUMNS.length), view, shape) };
  throw new CommandFailure('usage', `-o must be json, name or columns=a,b, not "${form}".`);
}

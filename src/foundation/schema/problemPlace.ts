import { isObject } from './json.ts';
import type { PlaceFormat, Schema } from './schema.ts';

/** `(web)` after the position of an item, if the item has such a name and the name is harmless. */
function labelOf(list: Schema, item: unknown): string {
  const { key, label } = list.distinct ?? {};
  const name = key !== undefined && isObject(item) ? item[key] : undefined;
  return typeof name === 'string' && label?.test(name) === true ? ` (${name})` : '';
}

function within(value: unknown, step: string | number): unknown {
  return isObject(value) || Array.isArray(value)
    ? (value as Readonly<Record<string | number, unknown>>)[step]
    : undefined;
}

/** Writes places such as `workload 3 (web): image 1: checksum `. */
export function placeInWords(schema: Schema): PlaceFormat {
  return ({ path, isInside }, document) => {
    let [node, value, words]: [Schema, unknown, string] = [schema, document, ''];
    for (const [n, step] of path.entries()) {
      const item = within(value, step);
      const isSubject = n === path.length - 1 && !isInside;
      const next = (typeof step === 'number' ? node.items : node.properties?.[step]) ?? {};
      if (typeof step === 'number') words += `${node.distinct?.noun ?? 'item'} ${step + 1}${labelOf(node, item)}: `;
      else if (isSubject) words += `${step} `;
      else if (next.items === undefined) words += `${step}: `;
      [node, value] = [next, item];
    }
    return words;
  };
}

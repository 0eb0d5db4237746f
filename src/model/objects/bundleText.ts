// Writes a bundle: one object on each line, in the same bytes for the same objects.
import { createHash } from 'node:crypto';
import type { JsonObject } from '../../foundation/schema/json.ts';
import { isObject } from '../../foundation/schema/json.ts';
import type { BundleObject } from './bundleObject.ts';
import type { ObjectPart } from './objectOrder.ts';
import { partOf, rankOf } from './objectOrder.ts';

const PARTS: readonly ObjectPart[] = ['definitions', 'before', 'workloads', 'after'];

/** JSON without white space, with the keys of every object sorted by their code units. */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const fields = Object.keys(value)
    .toSorted()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key])}`);
  return `{${fields.join(',')}}`;
}

function place(content: JsonObject): readonly [number, number] {
  return [PARTS.indexOf(partOf(content)), rankOf(content)];
}

/** Sorts objects in the order in which they are applied: by part, rank and name. */
function inApplyOrder(objects: readonly BundleObject[]): readonly BundleObject[] {
  const placed = objects.map((object) => ({ object, place: place(object.content) }));
  const sorted = placed.toSorted(
    (one, other) =>
      one.place[0] - other.place[0] ||
      one.place[1] - other.place[1] ||
      (one.object.name < other.object.name ? -1 : Number(one.object.name > other.object.name)),
  );
  return sorted.map(({ object }) => object);
}

export function bundleText(objects: readonly BundleObject[]): string {
  return inApplyOrder(objects)
    .map(({ content }) => `${canonicalJson(content)}\n`)
    .join('');
}

/** The checksum by which a version names its bundle. */
export function bundleChecksum(bundle: Buffer | string): string {
  return `sha256:${createHash('sha256').update(bundle).digest('hex')}`;
}

// What the objects of a deployment must be, by the bundle alone: reads bundles and live objects, and uses nothing of the plan or the run.
import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../../../src/foundation/schema/json.ts';
import { isObject, valueAt } from '../../../../src/foundation/schema/json.ts';
import type { Version } from '../../../../src/model/version.ts';
import { BUNDLES, BUNDLE_NAMES, checksumOfBundle } from '../objects/objectVersions.ts';

export type LiveObjects = ReadonlyMap<string, JsonObject>;

const bundles = new Map(BUNDLE_NAMES.map((name) => [checksumOfBundle(name), BUNDLES[name]] as const));

function nameOf(content: JsonObject): string {
  const group = String(content['apiVersion']).includes('contract.example.com') ? '.contract.example.com' : '';
  return `${String(content['kind'])}${group}/${String(valueAt(content, 'metadata', 'name'))}`;
}

/** The objects of a bundle by their names; none for a checksum of no bundle. */
export function objectsOf(checksum: string | undefined): ReadonlyMap<string, JsonObject> {
  return new Map((bundles.get(checksum ?? '') ?? []).map((content) => [nameOf(content), content] as const));
}

function itemNamed(list: unknown, name: unknown): unknown {
  return Array.isArray(list) ? list.find((one: unknown) => valueAt(one, 'name') === name) : undefined;
}

/** The fields of `wanted` that are not there. */
function missingFields(wanted: unknown, live: unknown, path: string): readonly string[] {
  if (isObject(wanted))
    return Object.entries(wanted).flatMap(([key, value]) => missingFields(value, valueAt(live, key), `${path}.${key}`));
  if (Array.isArray(wanted) && wanted.length > 0 && wanted.every((one) => typeof valueAt(one, 'name') === 'string'))
    return wanted.flatMap((one: unknown) =>
      missingFields(one, itemNamed(live, valueAt(one, 'name')), `${path}[${String(valueAt(one, 'name'))}]`),
    );
  return isDeepStrictEqual(wanted, live) ? [] : [`${path} is ${JSON.stringify(live)}, not ${JSON.stringify(wanted)}`];
}

function imageUnder(object: string, versions: readonly Version[]): string | undefined {
  const named = versions.flatMap(({ containers }) => containers.filter(({ name }) => name === `${object}/app`));
  return named.at(-1)?.image;
}

/** As an apply has it: values of Secrets encoded, and images of the versions in force. */
function applied(name: string, content: JsonObject, versions: readonly Version[]): JsonObject {
  const { stringData, ...rest } = content;
  if (isObject(stringData)) {
    const data = Object.entries(stringData).map(([key, value]) => [key, Buffer.from(String(value)).toString('base64')]);
    return { ...rest, data: Object.fromEntries(data) };
  }
  if (!name.startsWith('Deployment/')) return content;
  const image = imageUnder(name, versions);
  return JSON.parse(JSON.stringify(content), (key, value: unknown) => (key === 'image' ? image : value)) as JsonObject;
}

/** The objects of a bundle that are not as it has them, but for these. */
export function wrongObjects(
  checksum: string | undefined,
  versions: readonly Version[],
  live: LiveObjects,
  isExcused: (object: string) => boolean,
): readonly string[] {
  return [...objectsOf(checksum)].flatMap(([name, content]) => {
    if (isExcused(name)) return [];
    const present = live.get(name);
    if (present === undefined) return [`${name} is not there`];
    return missingFields(applied(name, content, versions), present, '').map((one) => `${name}${one}`);
  });
}

const MARK = 'steward/configuration';

function unmarked(key: string, value: unknown): unknown {
  if (!isObject(value)) return value;
  const { [MARK]: _, ...rest } = value;
  return (key === 'annotations' || key === 'metadata') && Object.keys(rest).length === 0 ? undefined : rest;
}

/** An object without what tells its pods to restart. */
function withoutMark(content: JsonObject | undefined): unknown {
  if (content === undefined) return undefined;
  return JSON.parse(JSON.stringify(content, unmarked)) as unknown;
}

/** The objects that differ between two times. */
export function changedObjects(before: LiveObjects, now: LiveObjects): readonly string[] {
  return [...new Set([...before.keys(), ...now.keys()])].flatMap((name) => {
    const [one, other] = [withoutMark(before.get(name)), withoutMark(now.get(name))];
    return isDeepStrictEqual(one, other) ? [] : [name];
  });
}

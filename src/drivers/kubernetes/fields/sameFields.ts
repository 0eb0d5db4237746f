// Whether an object is as it would be after an apply, as far as that can be seen without the server.
import type { JsonObject } from '../../../foundation/schema/json.ts';
import { isObject } from '../../../foundation/schema/json.ts';
import type { FieldSet } from './fieldSet.ts';
import { childOf, elementsOf, keysOf, valueIn } from './fieldSet.ts';

function isNothing(value: unknown): boolean {
  return value === undefined || value === null;
}

/** Whether two values are the same. One that is null is not there. */
export function isSame(one: unknown, other: unknown): boolean {
  if (one === other || (isNothing(one) && isNothing(other))) return true;
  if (Array.isArray(one))
    return Array.isArray(other) && one.length === other.length && one.every((item, n) => isSame(item, other[n]));
  if (!isObject(one) || !isObject(other)) return false;
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...keys].every((key) => isSame(one[key], other[key]));
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;
}

function isSameIn(set: FieldSet, live: unknown, body: unknown, keys: JsonObject = {}): boolean {
  const elements = elementsOf(set);
  if (elements.length === 0) return '.' in set ? isEmpty(body) : isSame(live, body);
  if (Array.isArray(body) && body.length !== elements.length) return false;
  if (isObject(body)) {
    // What is empty is in no set, and changes nothing where something is.
    const others = Object.keys(body).filter((key) => !(`f:${key}` in set) && !isNothing(body[key]));
    if (!others.every((key) => isEmpty(body[key]) && valueIn(live, `f:${key}`) !== undefined)) return false;
  }
  return elements.every((element) => {
    const inner = valueIn(body, element);
    if (inner === undefined) return element.slice(2) in keys;
    return isSameIn(childOf(set, element) ?? {}, valueIn(live, element), inner, keysOf(element));
  });
}

/**
 * Whether the fields that Steward owns are those of a body, with the same values. The order of a list whose items have keys does not
 * matter. False if only the server can tell, which may have written a value in another way.
 */
export function hasFields(set: FieldSet, live: object, body: object): boolean {
  return elementsOf(set).length > 0 && isSameIn(set, live, body);
}

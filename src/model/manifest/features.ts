// A version says in `requires` which features a server must have to install it. A server that lacks one rejects the version,
// rather than installing it without what it does not understand.
import type { JsonObject } from '../../foundation/schema/json.ts';
import type { Version } from '../version.ts';

/** The version has objects beside images. */
export const OBJECTS_FEATURE = 'objects';

/** The features of this version of Steward that a version may require. */
const KNOWN_FEATURES: ReadonlySet<string> = new Set<string>([OBJECTS_FEATURE]);

const FEATURE = /^[a-z][\w.-]{0,59}$/i;

export const REQUIRES_RULE = 'must be a list of names of features, each of at most 60 letters, digits, "_", "-" or "."';

/** The field stays an unknown field of the schema, so that signatures cover it at the place where earlier versions expect it. */
export function requiredFeatures(requires: unknown = []): readonly string[] | undefined {
  const isList = Array.isArray(requires) && requires.every((one) => typeof one === 'string' && FEATURE.test(one));
  return isList ? requires : undefined;
}

/** The features that a version requires and this version of Steward lacks. */
export function unknownFeatures(version: Version): readonly string[] {
  const { requires }: JsonObject = { ...version };
  return (requiredFeatures(requires) ?? ['requires']).filter((one) => !KNOWN_FEATURES.has(one));
}

// Without leading zeros, so that one number has one spelling.
const VERSION = /^(?:0|[1-9]\d{0,8})(?:\.(?:0|[1-9]\d{0,8})){0,4}$/;
const BUILD = /^(?:0|[1-9]\d{0,14})$/;

export const VERSION_RULE = 'must be numbers parted by dots, such as 11.0';
export const BUILD_RULE = 'must be a text of at most 15 digits, such as "1234"';

export function isVersion(value: unknown): value is string {
  return typeof value === 'string' && VERSION.test(value);
}

export function isBuild(value: unknown): value is string {
  return typeof value === 'string' && BUILD.test(value);
}

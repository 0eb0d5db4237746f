import type { JsonObject } from '../../foundation/schema/json.ts';
import { isObject } from '../../foundation/schema/json.ts';
import { kindOf } from './bundleObject.ts';

/** The letter case of the kind does not count: what looks like a Secret is treated as one. */
export function isSecret(content: JsonObject): boolean {
  return kindOf(content).toLowerCase() === 'secret';
}

/**
 * Copies a Secret with `stringData` as part of `data`, as the API server would do it: it wins over `data`. Server-side apply does not
 * remove what a former `stringData` has set.
 */
export function withDataEncoded(content: JsonObject): JsonObject {
  const { stringData, ...rest } = content;
  if (!isSecret(content) || stringData === undefined) return content;
  const { data } = content;
  const encoded = Object.entries(isObject(stringData) ? stringData : {}).map(
    ([key, value]) => [key, Buffer.from(String(value), 'utf8').toString('base64')] as const,
  );
  return { ...rest, data: { ...(isObject(data) && data), ...Object.fromEntries(encoded) } };
}

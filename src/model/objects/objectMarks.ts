// The labels and annotations by which an object of a bundle says how Steward should treat it.
import type { JsonObject } from '../../foundation/schema/json.ts';
import { valueAt } from '../../foundation/schema/json.ts';
import { kindOf } from './bundleObject.ts';

/** Reads an annotation, or the label of the same name. The annotation takes precedence, because it may have any value. */
export function markOf(content: JsonObject, name: string): string | undefined {
  const marks = ['annotations', 'labels'].map((kind) => valueAt(content, 'metadata', kind, name));
  return marks.find((mark) => typeof mark === 'string');
}

/** Whether the object is never removed. */
export function isKept(content: JsonObject): boolean {
  return markOf(content, 'steward/keep') === 'true';
}

/** Whether an object holds data of the deployment, by its name. */
export function isClaim(name: string): boolean {
  return name.startsWith('PersistentVolumeClaim/');
}

/** Whether an object is never removed: it is a claim, which holds data, or its bundle says so. */
export function neverRemoved(name: string, content: JsonObject): boolean {
  return isClaim(name) || isKept(content);
}

/** Whether a workload is restarted when the configuration that its pods read has changed. */
export function restarts(content: JsonObject): boolean {
  return markOf(content, 'steward/restart') !== 'false';
}

/** Whether it is a CronJob that is run as a step of an upgrade, and no workload. */
export function isHook(content: JsonObject): boolean {
  return kindOf(content) === 'CronJob' && valueAt(content, 'metadata', 'labels', 'steward/hook') !== undefined;
}

import type { JsonObject } from '../../foundation/schema/json.ts';
import { isObject } from '../../foundation/schema/json.ts';

/** An object of a bundle: what a version applies to the deployment beside images. */
export interface BundleObject {
  /** Unique in a bundle, see `objectName`. */
  readonly name: string;
  readonly content: JsonObject;
}

const BUILT_IN_GROUP = /^[^.]*$|\.k8s\.io$/;

/** The group of an API version; empty for `v1`. */
export function groupOf(apiVersion: string): string {
  return apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
}

/** `Kind`, or `Kind.group` for a kind that Kubernetes itself does not have. */
export function kindName({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): string {
  const group = groupOf(apiVersion);
  return BUILT_IN_GROUP.test(group) ? kind : `${kind}.${group}`;
}

/** `kindName` of an object. */
export function kindOf({ apiVersion, kind }: JsonObject): string {
  return kindName({ apiVersion: String(apiVersion), kind: String(kind) });
}

/** Names an object as workloads are named: `Deployment/web`, `Widget.example.com/one`. */
export function objectName(content: JsonObject): string {
  const { metadata } = content;
  return `${kindOf(content)}/${String(isObject(metadata) ? metadata['name'] : undefined)}`;
}

// What Steward applies for an object of a version: its content, with what makes it Steward's.
import type { JsonObject } from '../../../../foundation/schema/json.ts';
import { isObject, valueAt } from '../../../../foundation/schema/json.ts';
import { kindOf } from '../../../../model/objects/bundleObject.ts';
import { isHook } from '../../../../model/objects/objectMarks.ts';
import { templatePath } from '../../../../model/objects/podTemplate.ts';
import { withDataEncoded } from '../../../../model/objects/secrets.ts';
import type { ObjectAct, ObjectProblem, WantedObject } from '../../../../upgrades/ports/objects.ts';
import type { ClusterObject, ClusterPlace } from '../../api/clusterApi.ts';
import { listAt, textAt } from '../../api/objectFields.ts';
import { appliedSet, owns } from '../../fields/fieldSet.ts';
import { withEntries, withValue } from '../../fields/places.ts';
import { ANNOTATIONS, LABELS } from '../../workloads/labels.ts';
import { selectedLabels } from './selector.ts';

/** An object that is wanted, or an act on it: that says what the plan has found. */
export type Wanted = WantedObject & Partial<Pick<ObjectAct, 'expected'>>;

export interface BodyRules extends Pick<ClusterPlace, 'installation'> {
  /** Of the workloads in the inventory. */
  readonly selector: string;
  /** The objects whose replicas an autoscaler sets, as `kind/name`. */
  readonly autoscaled: ReadonlySet<string>;
}

export type Body =
  | { readonly kind: 'body'; readonly body: JsonObject }
  | { readonly kind: 'refused'; readonly problem: ObjectProblem };

const REPLICAS = ['f:spec', 'f:replicas'];
/** Kinds of which the server sets the replicas if they are not given. */
const SCALED: ReadonlySet<string> = new Set(['Deployment', 'StatefulSet', 'ReplicaSet']);
const OF_SERVER = ['creationTimestamp', 'resourceVersion', 'uid', 'generation', 'managedFields', 'selfLink'];

/** Older servers refuse a port without its protocol, because it is a key. */
function withProtocols(content: JsonObject): JsonObject {
  const ports = valueAt(content, 'spec', 'ports');
  if (kindOf(content) !== 'Service' || !Array.isArray(ports)) return content;
  const named = ports.map((port: unknown) => (isObject(port) ? { protocol: 'TCP', ...port } : port));
  return withValue(content, ['spec', 'ports'], named);
}

/** A copy without labels and annotations that are an empty map: an apply would own the whole map. */
function withoutEmptyMaps(content: JsonObject, path: readonly string[]): JsonObject {
  return ['labels', 'annotations'].reduce((copy, name) => {
    const map = valueAt(copy, ...path, name);
    const isOpen = map === null || (isObject(map) && Object.keys(map).length === 0);
    return isOpen ? withValue(copy, [...path, name], undefined) : copy;
  }, content);
}

/** The content as every apply sends it. */
function plainBody(content: JsonObject): JsonObject {
  const { status: _, ...rest } = withProtocols(withDataEncoded(content));
  const template = templatePath(content);
  const without = OF_SERVER.reduce<JsonObject>((copy, name) => withValue(copy, ['metadata', name], undefined), rest);
  const fence = [ANNOTATIONS.fence, ANNOTATIONS.installation];
  const unfenced = fence.reduce((copy, name) => {
    const has = valueAt(copy, 'metadata', 'annotations', name) !== undefined;
    return has ? withValue(copy, ['metadata', 'annotations', name], undefined) : copy;
  }, without);
  const open = withoutEmptyMaps(unfenced, ['metadata']);
  return template === undefined ? open : withoutEmptyMaps(open, [...template, 'metadata']);
}

function labelsOf(content: JsonObject): Readonly<Record<string, string>> {
  const labels = valueAt(content, 'metadata', 'labels');
  const entries = Object.entries(isObject(labels) ? labels : {});
  return Object.fromEntries(entries.filter((one): one is [string, string] => typeof one[1] === 'string'));
}

/** Whether the replicas are left to an autoscaler. The plan knows those of the version, too, and `expected` shows it. */
function isAutoscaled({ content, expected }: Wanted, { autoscaled }: BodyRules): boolean {
  const [kind, name] = [textAt(content, 'kind'), textAt(content, 'metadata', 'name')];
  const isLeftOut = isObject(expected) && SCALED.has(kind) && valueAt(expected, 'spec', 'replicas') === undefined;
  return isLeftOut || autoscaled.has(`${kind}/${name}`);
}

/** Replicas that Steward owns alone would fall back to 1 if they were left out, so they are applied as they are. */
function withReplicas(body: JsonObject, wanted: Wanted, live: ClusterObject | undefined, rules: BodyRules): JsonObject {
  if (live === undefined || valueAt(body, 'spec', 'replicas') === undefined) return body;
  if (!isAutoscaled(wanted, rules)) return body;
  const present = owns(appliedSet(live), REPLICAS) ? valueAt(live.spec, 'replicas') : undefined;
  return withValue(body, ['spec', 'replicas'], present);
}

function withConfiguration(body: JsonObject, { configuration }: Wanted, live: ClusterObject | undefined): JsonObject {
  const template = templatePath(body);
  if (template === undefined) return body;
  const path = [...template, 'metadata', 'annotations', ANNOTATIONS.configuration];
  const value = configuration ?? valueAt(live, ...path);
  return value === undefined ? body : withValue(body, path, value);
}

function notSelected(object: string, selector: string): Body {
  const reason = `The labels of ${object} do not match the selector of Steward's workloads, ${selector}, so that it would not be in the inventory.`;
  const advice = 'Correct its labels in the objects of the version, or STEWARD_SELECTOR.';
  return { kind: 'refused', problem: { kind: 'refused', reason, advice } };
}

/** A volume that has ceased to be an empty folder. No field set has `emptyDir: {}`, so that an apply which leaves it out would keep it. */
function withoutEmptyFolders(body: JsonObject, live: ClusterObject | undefined): JsonObject {
  const template = templatePath(body);
  if (template === undefined || live === undefined) return body;
  const path = [...template, 'spec', 'volumes'];
  const [present, wanted] = [listAt(live, ...path), listAt(body, ...path)];
  const isFolder = (name: unknown): boolean =>
    present.some((one) => valueAt(one, 'name') === name && isObject(valueAt(one, 'emptyDir')));
  const isLeft = (one: unknown): one is JsonObject => isObject(one) && !('emptyDir' in one) && isFolder(one['name']);
  if (!wanted.some(isLeft)) return body;
  return withValue(
    body,
    path,
    wanted.map((one) => (isLeft(one) ? { ...one, emptyDir: null } : one)),
  );
}

/** Makes the body of an apply, without a version and without the fence. An undo applies the former fields and no others. */
export function bodyOf(wanted: Wanted, content: JsonObject, live: ClusterObject | undefined, rules: BodyRules): Body {
  const plain = withoutEmptyFolders(plainBody(content), live);
  if (wanted.isUndo === true) return { kind: 'body', body: withReplicas(plain, wanted, live, rules) };
  const isWorkload = templatePath(content) !== undefined && !isHook(content);
  const labels = isWorkload ? selectedLabels(rules.selector, labelsOf(plain)) : labelsOf(plain);
  if (labels === undefined) return notSelected(wanted.object, rules.selector);
  const labelled = withEntries(plain, ['metadata', 'labels'], { ...labels, [LABELS.installation]: rules.installation });
  return { kind: 'body', body: withReplicas(withConfiguration(labelled, wanted, live), wanted, live, rules) };
}

/** The body with the fence of a holder. */
export function withFence(body: JsonObject, fence: string, installation: string): JsonObject {
  const entries = { [ANNOTATIONS.fence]: fence, [ANNOTATIONS.installation]: installation };
  return withEntries(body, ['metadata', 'annotations'], entries);
}

// The kinds of wanted objects, as the cluster serves them.
import type { JsonObject } from '../../../../foundation/schema/json.ts';
import { isObject } from '../../../../foundation/schema/json.ts';
import { mapInParallel } from '../../../../foundation/flow/mapInParallel.ts';
import { listed } from '../../../../foundation/text/listed.ts';
import { kindOf } from '../../../../model/objects/bundleObject.ts';
import { definitionOf } from '../../../../model/objects/definitions.ts';
import type { ObjectProblem, WantedObject } from '../../../../upgrades/ports/objects.ts';
import type { ClusterApi } from '../../api/clusterApi.ts';
import { ApiError } from '../../api/apiError.ts';
import type { Resource } from '../../api/discovery.ts';
import { textAt } from '../../api/objectFields.ts';

export type WantedKind =
  | { readonly kind: 'served'; readonly resource: Resource }
  /** It will be served when a definition is established. */
  | { readonly kind: 'defined' }
  /** No object of this kind can exist. */
  | { readonly kind: 'none' }
  | { readonly kind: 'problem'; readonly problem: ObjectProblem };

export interface KindRules {
  readonly api: ClusterApi;
  /** The kinds that belong to the whole cluster and that Steward may change. */
  readonly clusterKinds: ReadonlySet<string>;
}

const DEFINITION = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };

function defines(definition: JsonObject, apiVersion: string, kind: string): boolean {
  const found = definitionOf(definition);
  return found?.kind === kind && found.served.includes(apiVersion);
}

/** The definitions in the cluster. Without the right to read them, there are none. */
async function presentDefinitions({ api, clusterKinds }: KindRules, signal?: AbortSignal) {
  if (!clusterKinds.has(DEFINITION.kind)) return [];
  const found = await api.find(DEFINITION.apiVersion, DEFINITION.kind, signal);
  if (found.kind === 'notServed') return [];
  const list = await api.list(found.resource, undefined, signal).catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 403) return { items: [] };
    throw error;
  });
  return list.items.filter(isObject).map((item) => ({ ...item, ...DEFINITION }));
}

function notServed(object: string, apiVersion: string, served: readonly string[]): WantedKind {
  const others = served.length === 0 ? 'This kind is not served in any version.' : `It serves ${listed(served)}.`;
  const advice =
    served.length === 0
      ? 'Install what defines the kind, or put its definition into the version.'
      : `Write the object for ${served[0]}, or update the cluster to a release that serves ${apiVersion}.`;
  const reason = `The cluster does not serve ${apiVersion} of ${object}. ${others}`;
  return { kind: 'problem', problem: { kind: 'notServed', reason, advice } };
}

function notAllowed(object: string, kind: string): WantedKind {
  const reason = `${object} belongs to the whole cluster, and Steward may not change objects of this kind.`;
  const advice = `Add ${kind} to STEWARD_CLUSTER_KINDS and give the account of Steward a ClusterRole for it, or take the object out of the version.`;
  return { kind: 'problem', problem: { kind: 'refused', reason, advice } };
}

/** Whether objects of a kind that belongs to the whole cluster may be changed. */
function isAllowed({ kind, apiVersion, isCluster }: Resource, { clusterKinds }: KindRules): boolean {
  return !isCluster || clusterKinds.has(kind) || clusterKinds.has(kindOf({ apiVersion, kind }));
}

function kindPart(object: string): string {
  return object.slice(0, object.indexOf('/'));
}

function keyOf({ object, content }: WantedObject): string {
  return content === undefined ? kindPart(object) : `${textAt(content, 'apiVersion')} ${textAt(content, 'kind')}`;
}

/** Finds the kind of each wanted object. Each kind is looked up once. */
export async function findKinds(
  rules: KindRules,
  wanted: readonly WantedObject[],
  signal?: AbortSignal,
): Promise<readonly WantedKind[]> {
  const { api } = rules;
  const definitions = wanted.flatMap(({ content }) =>
    content !== undefined && kindOf(content) === DEFINITION.kind ? [content] : [],
  );
  let present: Promise<readonly JsonObject[]> | undefined;

  async function find({ object, content }: WantedObject): Promise<WantedKind> {
    if (content === undefined) {
      const resource = await api.findNamed(kindPart(object), signal);
      if (resource === undefined) return { kind: 'none' };
      return isAllowed(resource, rules) ? { kind: 'served', resource } : notAllowed(object, resource.kind);
    }
    const [apiVersion, kind] = [textAt(content, 'apiVersion'), textAt(content, 'kind')];
    const found = await api.find(apiVersion, kind, signal);
    if (found.kind === 'served')
      return isAllowed(found.resource, rules) ? found : notAllowed(object, found.resource.kind);
    const isDefined = (definition: JsonObject): boolean => defines(definition, apiVersion, kindOf(content));
    if (definitions.some(isDefined)) return { kind: 'defined' };
    present ??= presentDefinitions(rules, signal);
    return (await present).some(isDefined) ? { kind: 'defined' } : notServed(object, apiVersion, found.served);
  }

  const byKind = new Map<string, WantedObject>();
  for (const one of wanted) if (!byKind.has(keyOf(one))) byKind.set(keyOf(one), one);
  const found = await mapInParallel([...byKind], async ([key, one]) => [key, await find(one)] as const);
  const kinds = new Map(found);
  return wanted.map((one) => {
    const kind = kinds.get(keyOf(one)) ?? { kind: 'none' };
    // The text of a problem names the first object of the kind.
    const first = byKind.get(keyOf(one))?.object ?? '';
    return kind.kind === 'problem'
      ? { ...kind, problem: { ...kind.problem, reason: kind.problem.reason.replace(first, one.object) } }
      : kind;
  });
}

// What the objects of a bundle must be together: their names, namespaces, and the kinds of the whole cluster.
import type { JsonObject } from '../../foundation/schema/json.ts';
import type { Steps } from '../../foundation/flow/steps.ts';
import { valueAt } from '../../foundation/schema/json.ts';
import { kindOf, objectName } from './bundleObject.ts';
import { definitionOf, isClusterKind } from './definitions.ts';
import { shownName } from './rules/objectPlace.ts';
import { identityProblems, objectProblems } from './rules/objectRules.ts';
import { textProblems } from './rules/objectTexts.ts';

const MAX_PROBLEMS_EACH = 20;
/** A bundle with this many problems is wrong throughout, and each of them costs time. */
const ENOUGH_PROBLEMS = 1000;

/** What a bundle may contain besides objects of one namespace. */
export interface BundleRules {
  /** The kinds of the whole cluster that are allowed, as `kindName`. Without them, there are none. */
  readonly clusterKinds?: ReadonlySet<string> | 'any' | undefined;
  /** The namespace of Steward. If it is not known, the objects must agree on one. */
  readonly namespace?: string | undefined;
}

/** An object with its place: a line of a bundle, or a document of a file. */
export interface PlacedObject {
  readonly place: string;
  readonly content: JsonObject;
}

/** Writes a problem with its place: `line 7: Deployment/web: metadata.name must …`. */
function placed({ place, content }: PlacedObject, field: string, text: string): string {
  const name = shownName(content);
  return `${place}: ${name === undefined ? '' : `${name}: `}${field === '' ? '' : `${field} `}${text}`;
}

function repeatedNames(objects: readonly PlacedObject[]): readonly string[] {
  const places = new Map<string, string>();
  return objects.flatMap((one) => {
    const name = objectName(one.content);
    const earlier = places.get(name);
    if (earlier === undefined) places.set(name, one.place);
    return earlier === undefined ? [] : [placed(one, '', `is in ${earlier} already`)];
  });
}

function otherNamespaces(objects: readonly PlacedObject[], known: string | undefined): readonly string[] {
  const namespaceOf = ({ content }: PlacedObject): unknown => valueAt(content, 'metadata', 'namespace') ?? '';
  const first = objects.find((one) => namespaceOf(one) !== '');
  const expected = known ?? (first === undefined ? '' : namespaceOf(first));
  const place = known === undefined ? `the one of ${first?.place}` : `that of Steward, ${known}`;
  return objects
    .filter((one) => namespaceOf(one) !== '' && namespaceOf(one) !== expected)
    .map((one) => placed(one, 'metadata.namespace', `is not ${place}; leave it out, or use one namespace`));
}

/** Whether the bundle itself defines a kind for the whole cluster. */
function definedClusterKinds(objects: readonly JsonObject[]): ReadonlySet<string> {
  const definitions = objects.filter((content) => valueAt(content, 'spec', 'scope') === 'Cluster');
  return new Set(definitions.flatMap((content) => definitionOf(content)?.kind ?? []));
}

/** The kinds of the whole cluster among the objects, as `kindName`. */
export function clusterKindsOf(objects: readonly JsonObject[]): ReadonlySet<string> {
  const defined = definedClusterKinds(objects);
  const found = objects.filter((content) => isClusterKind(content) || defined.has(kindOf(content)));
  return new Set(found.map(kindOf));
}

function forbiddenKinds(
  objects: readonly PlacedObject[],
  allowed: BundleRules['clusterKinds'] = new Set(),
): readonly string[] {
  if (allowed === 'any') return [];
  const found = clusterKindsOf(objects.map(({ content }) => content));
  return objects
    .filter(({ content }) => found.has(kindOf(content)) && !allowed.has(kindOf(content)))
    .map((one) =>
      placed(one, 'kind', 'belongs to the whole cluster, and STEWARD_CLUSTER_KINDS does not name it; add it there'),
    );
}

function judge(object: PlacedObject): readonly string[] {
  const { content } = object;
  const identity = identityProblems(content);
  const found = [...(identity.length > 0 ? identity : objectProblems(content)), ...textProblems(content)];
  return found.slice(0, MAX_PROBLEMS_EACH).map(({ field, text }) => placed(object, field, text));
}

/** Names what is wrong with the objects of a bundle, each with its place. Those that are wrong by themselves are not compared. */
export function* bundleProblems(objects: readonly PlacedObject[], rules: BundleRules = {}): Steps<readonly string[]> {
  const problems: string[] = [];
  const valid: PlacedObject[] = [];
  for (const one of objects) {
    const found = judge(one);
    if (found.length === 0) valid.push(one);
    problems.push(...found);
    yield;
    if (problems.length >= ENOUGH_PROBLEMS) break;
  }
  return [
    ...problems,
    ...repeatedNames(valid),
    ...otherNamespaces(valid, rules.namespace),
    ...forbiddenKinds(valid, rules.clusterKinds),
  ];
}

// What the objects of a bundle must be together: their names, namespaces, and the kinds of the whole cluster.
import type { JsonObject } from '../../foundation/schema/json.ts';
import { valueAt } from '../../foundation/schema/json.ts';
import { kindOf, objectName } from './bundleObject.ts';
import { definitionOf, isClusterKind } from './definitions.ts';
import { shownName } from './objectPlace.ts';

/** What a bundle may contain besides objects of one namespace. */
export interface BundleRules {
  /** The kinds of the whole cluster that are allowed, as `kindName`. Without them, there are none. */
  readonly clusterKinds?: ReadonlySet<string> | undefined;
  /** The namespace of Steward. If it is not known, the objects must agree on one. */
  readonly namespace?: string | undefined;
}

/** An object with its place in the bundle, from 1 on. */
export interface PlacedObject {
  readonly line: number;
  readonly content: JsonObject;
}

/** Writes a problem with its place: `line 7: Deployment/web: metadata.name must …`. */
export function placed({ line, content }: PlacedObject, field: string, text: string): string {
  const name = shownName(content);
  return `line ${line}: ${name === undefined ? '' : `${name}: `}${field === '' ? '' : `${field} `}${text}`;
}

function repeatedNames(objects: readonly PlacedObject[]): readonly string[] {
  const lines = new Map<string, number>();
  return objects.flatMap((one) => {
    const name = objectName(one.content);
    const earlier = lines.get(name);
    if (earlier === undefined) lines.set(name, one.line);
    return earlier === undefined ? [] : [placed(one, '', `is in line ${earlier} already`)];
  });
}

function otherNamespaces(objects: readonly PlacedObject[], known: string | undefined): readonly string[] {
  const namespaceOf = ({ content }: PlacedObject): unknown => valueAt(content, 'metadata', 'namespace') ?? '';
  const first = objects.find((one) => namespaceOf(one) !== '');
  const expected = known ?? (first === undefined ? '' : namespaceOf(first));
  const place = known === undefined ? `the one of line ${first?.line}` : `that of Steward, ${known}`;
  return objects
    .filter((one) => namespaceOf(one) !== '' && namespaceOf(one) !== expected)
    .map((one) => placed(one, 'metadata.namespace', `is not ${place}; leave it out, or use one namespace`));
}

/** Whether the bundle itself defines a kind for the whole cluster. */
function definedClusterKinds(objects: readonly PlacedObject[]): ReadonlySet<string> {
  const definitions = objects.filter(({ content }) => valueAt(content, 'spec', 'scope') === 'Cluster');
  return new Set(definitions.flatMap(({ content }) => definitionOf(content)?.kind ?? []));
}

/** The kinds of the whole cluster among the objects, as `kindName`. */
export function clusterKindsOf(objects: readonly JsonObject[]): ReadonlySet<string> {
  const defined = definedClusterKinds(objects.map((content) => ({ line: 0, content })));
  return new Set(
    objects.filter((one) => isClusterKind(one) || defined.has(kindOf(one))).map((content) => kindOf(content)),
  );
}

function forbiddenKinds(objects: readonly PlacedObject[], allowed: ReadonlySet<string>): readonly string[] {
  const found = clusterKindsOf(objects.map(({ content }) => content));
  return objects
    .filter(({ content }) => found.has(kindOf(content)) && !allowed.has(kindOf(content)))
    .map((one) =>
      placed(one, 'kind', 'belongs to the whole cluster, and STEWARD_CLUSTER_KINDS does not name it; add it there'),
    );
}

export function bundleProblems(objects: readonly PlacedObject[], rules: BundleRules): readonly string[] {
  return [
    ...repeatedNames(objects),
    ...otherNamespaces(objects, rules.namespace),
    ...forbiddenKinds(objects, rules.clusterKinds ?? new Set()),
  ];
}

// The objects in what `helm template` or `kustomize build` prints: lists are taken apart, what runs only once is left out, and what a
// cluster writes is removed. Nothing else is changed.
import type { JsonObject } from '../../../foundation/schema/json.ts';
import { isObject, valueAt } from '../../../foundation/schema/json.ts';
import { printable } from '../../../foundation/text/printable.ts';
import type { PlacedObject } from '../../../model/objects/bundleRules.ts';
import { SERVER_FIELDS, saysNothing } from '../../../model/objects/rules/objectRules.ts';

export interface ChartObjects {
  readonly objects: readonly PlacedObject[];
  /** Objects that do not belong to a version, each with the reason. */
  readonly leftOut: readonly string[];
  readonly problems: readonly string[];
}

/** A document of a file. */
export interface PlacedDocument {
  readonly place: string;
  readonly document: unknown;
}

/** What tools write to annotations. The first of them may repeat the values of a Secret. */
const TOOL_ANNOTATIONS: ReadonlySet<string> = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  'deployment.kubernetes.io/revision',
]);

/** The items of a list, also of lists in it. */
function flattened({ place, document }: PlacedDocument): readonly PlacedDocument[] {
  const kind = valueAt(document, 'kind');
  const items = valueAt(document, 'items');
  if (typeof kind !== 'string' || !kind.endsWith('List') || !Array.isArray(items)) return [{ place, document }];
  return items.flatMap((item, n) => flattened({ place: `${place}, item ${n + 1}`, document: item }));
}

function isServerField(key: string): boolean {
  return SERVER_FIELDS.some((one) => one === key);
}

function withoutServerMetadata(metadata: JsonObject): JsonObject {
  const ours = Object.entries(metadata).filter(([key]) => !isServerField(key));
  const { annotations, ...others } = Object.fromEntries(ours);
  if (!isObject(annotations)) return annotations === undefined ? others : { ...others, annotations };
  const kept = Object.entries(annotations).filter(([key]) => !TOOL_ANNOTATIONS.has(key));
  return kept.length === 0 ? others : { ...others, annotations: Object.fromEntries(kept) };
}

function cleaned(content: JsonObject): JsonObject {
  const { metadata, status, ...others } = content;
  return {
    ...others,
    ...(isObject(metadata) ? { metadata: withoutServerMetadata(metadata) } : 'metadata' in content && { metadata }),
    ...(!saysNothing(status) && { status }),
  };
}

/** Why an object is left out; undefined if it is part of the version. */
function reasonToLeaveOut(content: JsonObject): string | undefined {
  const hook = valueAt(content, 'metadata', 'annotations', 'helm.sh/hook');
  if (hook === undefined) return undefined;
  return typeof hook === 'string' ? `a Helm hook (${printable(hook.slice(0, 100))})` : 'a Helm hook';
}

function shownName(content: JsonObject): string {
  return printable(`${String(content['kind'])}/${String(valueAt(content, 'metadata', 'name'))}`.slice(0, 300));
}

function documentProblem({ place, document }: PlacedDocument): string | undefined {
  const what = `${place}: is not an object of Kubernetes`;
  if (!isObject(document)) return `${what}; give what helm template or kustomize build prints`;
  const apiVersion = valueAt(document, 'apiVersion');
  if (typeof apiVersion === 'string' && apiVersion.startsWith('kustomize.config.k8s.io/'))
    return `${what}, but a file of kustomize; give what kustomize build prints`;
  return document['kind'] === undefined
    ? `${what}, because it has no kind; a chart must be rendered with helm template first`
    : undefined;
}

/** Finds the objects in the documents of files. Documents that are empty are skipped, as templates that render nothing leave them. */
export function chartObjects(documents: readonly PlacedDocument[]): ChartObjects {
  const found: ChartObjects & { objects: PlacedObject[]; leftOut: string[]; problems: string[] } = {
    objects: [],
    leftOut: [],
    problems: [],
  };
  for (const one of documents.flatMap(flattened)) {
    const { place, document } = one;
    if (document === null || document === undefined) continue;
    const problem = documentProblem(one);
    if (problem !== undefined || !isObject(document)) {
      found.problems.push(problem ?? place);
      continue;
    }
    const reason = reasonToLeaveOut(document);
    if (reason === undefined) found.objects.push({ place, content: cleaned(document) });
    else found.leftOut.push(`${shownName(document)}: ${reason}`);
  }
  return found;
}

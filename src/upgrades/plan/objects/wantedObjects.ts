// What a job wants the objects of a deployment to be, before they are compared: from the bundle of the version, or for a rollback from
// what the job before has kept.
import type { JsonObject } from '../../../foundation/schema/json.ts';
import { autoscaledWorkloads, withoutReplicas } from '../../../model/objects/autoscaled.ts';
import type { BundleObject } from '../../../model/objects/bundleObject.ts';
import { isHook } from '../../../model/objects/objectMarks.ts';
import type { ObjectPart } from '../../../model/objects/objectOrder.ts';
import { partOf, rankOf } from '../../../model/objects/objectOrder.ts';
import { containersOf, withImages } from '../../../model/objects/podTemplate.ts';
import { withDataEncoded } from '../../../model/objects/secrets.ts';
import type { FindContainer } from '../../../model/version/containerAddress.ts';
import { containerFinder } from '../../../model/version/containerAddress.ts';
import type { Version } from '../../../model/version.ts';
import type { Image } from '../../../model/workload.ts';
import type { Change, Plan, RolloutId } from '../../values/plan.ts';
import { changesIn, changesOf } from '../../values/plan.ts';
import type { ReferenceFor } from '../../versions/images.ts';
import type { ContentOf } from './objectTools.ts';

/** The content of an object in one rollout, with its images. */
export interface Stage {
  readonly content: JsonObject;
  readonly images: readonly Image[];
}

/** An object that should exist: a workload for each rollout (undefined where it cannot be made yet), any other object once. */
export interface Wanted {
  readonly object: string;
  readonly part: ObjectPart;
  readonly rank: number;
  readonly stages: readonly (Stage | undefined)[];
  /** Its content in the installed version, if that has it. */
  readonly installed?: JsonObject | undefined;
}

/** An object that should not exist any more. */
export interface Unwanted {
  readonly object: string;
  /** As the version before had it, if that is known. */
  readonly content: JsonObject | undefined;
}

/** The images of a workload under some versions, newest first; undefined if none names one of its containers. */
function imagesUnder(
  { name, content }: BundleObject,
  finders: readonly FindContainer[],
  referenceFor: ReferenceFor,
): readonly Image[] | undefined {
  const images: Image[] = [];
  for (const { container } of containersOf(content)) {
    const found = finders.map((find) => find({ name }, container)).find((one) => one !== undefined);
    if (found === undefined) return undefined;
    images.push({ container, image: referenceFor(found.image, found.checksum), checksum: found.checksum });
  }
  return images;
}

function stageOf(
  object: BundleObject,
  finders: readonly FindContainer[],
  referenceFor: ReferenceFor,
): Stage | undefined {
  const images = imagesUnder(object, finders, referenceFor);
  if (images === undefined) return undefined;
  const references = new Map(images.map(({ container, image }) => [container, image]));
  return { content: withImages(object.content, (container) => references.get(container)), images };
}

/** The objects as an apply sends them, apart from their images. */
export function prepared(bundle: readonly BundleObject[]): readonly BundleObject[] {
  const scaled = autoscaledWorkloads(bundle);
  return bundle.map((object) => {
    const content = withDataEncoded(object.content);
    return { ...object, content: scaled.has(object.name) ? withoutReplicas(content) : content };
  });
}

/** `rollouts` are the versions in force after each rollout, oldest first. */
export function wantedObjects(
  bundle: readonly BundleObject[],
  rollouts: readonly (readonly Version[])[],
  referenceFor: ReferenceFor,
): readonly Wanted[] {
  const findersOf = rollouts.map((versions) =>
    versions.map(({ containers }) => containerFinder(containers)).toReversed(),
  );
  return prepared(bundle).map((object) => {
    const { name, content } = object;
    const part = partOf(content);
    const stages = findersOf.map((finders) => stageOf(object, finders, referenceFor));
    // A hook has images and is applied once, with the last ones.
    const last = stages.at(-1);
    const once = last === undefined ? { content, images: [] } : { ...last, images: [] };
    return { object: name, part, rank: rankOf(content), stages: part === 'workloads' ? stages : [once] };
  });
}

/** The containers of workloads in a bundle that no version names. */
export function unnamedContainers(bundle: readonly BundleObject[], versions: readonly Version[]): readonly string[] {
  const finders = versions.map(({ containers }) => containerFinder(containers));
  return bundle.flatMap(({ name, content }) =>
    containersOf(content)
      .filter(({ container }) => !finders.some((find) => find({ name }, container) !== undefined))
      .map(({ container }) => `${name}/${container}${isHook(content) ? ' (a hook)' : ''}`),
  );
}

/** What a change found. If an earlier step has changed the object too, that is the content of the earlier step. */
function contentBefore(changes: readonly Change[], n: number): string | undefined {
  const change = changes[n];
  const earlier = changes.slice(0, n).findLast(({ workload, object }) => workload === change?.workload && object);
  return earlier === undefined ? change?.object?.former : earlier.object?.content;
}

/** What takes back the changes that a job has made to objects, in one step or in all. */
export function objectsBefore(
  plan: Pick<Plan, 'steps'>,
  step: RolloutId | undefined,
  contentOf: ContentOf,
): { readonly wanted: readonly Wanted[]; readonly unwanted: readonly Unwanted[] } {
  const all = changesOf(plan);
  const taken = new Set(plan.steps.filter(({ id }) => step === undefined || id === step).flatMap(changesIn));
  const wanted = new Map<string, Wanted>();
  const unwanted = new Map<string, Unwanted>();
  for (const [n, change] of all.entries()) {
    const { workload: object, from } = change;
    // The first change of an object tells what was there before.
    if (!taken.has(change) || change.object === undefined || wanted.has(object) || unwanted.has(object)) continue;
    const before = contentBefore(all, n);
    const content = before === undefined ? undefined : contentOf(before);
    if (content !== undefined)
      wanted.set(object, { object, part: partOf(content), rank: rankOf(content), stages: [{ content, images: from }] });
    else if (change.object.verb === 'create') unwanted.set(object, { object, content: undefined });
  }
  return { wanted: [...wanted.values()], unwanted: [...unwanted.values()] };
}

// Where the objects of a job come from: the bundle of its version, or what an earlier job has kept.
import type { JsonObject } from '../../../foundation/schema/json.ts';
import { listed } from '../../../foundation/text/listed.ts';
import type { BundleObject } from '../../../model/objects/bundleObject.ts';
import type { ObjectsReference } from '../../../model/version/objectsReference.ts';
import type { Version } from '../../../model/version.ts';
import type { Target } from '../../values/target.ts';
import type { TaskObjects } from '../../values/task.ts';
import type { ReferenceFor } from '../../versions/images.ts';
import type { ObjectTools } from './objectTools.ts';
import type { Unwanted, Wanted } from './wantedObjects.ts';
import { objectsBefore, prepared, unnamedContainers, wantedObjects } from './wantedObjects.ts';

/** Why the objects of a version cannot be applied at all. */
export interface BundleProblem {
  readonly reason: string;
  readonly advice: string;
  /** Whether it may pass without a change by a person. */
  readonly mayPass?: boolean;
}

export type ObjectSource =
  | {
      readonly kind: 'found';
      readonly wanted: readonly Wanted[];
      readonly unwanted: readonly Unwanted[];
      /** Whether the contents are what was there before a job. */
      readonly isUndo: boolean;
    }
  | { readonly kind: 'problem'; readonly problem: BundleProblem };

interface SourceDependencies extends ObjectTools {
  readonly deployment: { readonly referenceFor: ReferenceFor };
}

export interface SourceSpec extends TaskObjects {
  readonly targets: readonly Target[];
  /** The versions that are installed now, oldest first. */
  readonly installed: readonly Version[];
}

/** The versions in force after each rollout, oldest first. */
function rolloutsOf({ targets, installed }: SourceSpec): readonly (readonly Version[])[] {
  return targets.map((target, n) => {
    const reached = targets.slice(0, n + 1).flatMap(({ version }) => version ?? []);
    return [...installed, ...reached, ...(target.replacedBy === undefined ? [] : [target.replacedBy])];
  });
}

/** What bundles from before have, that in force first. A bundle that is lost names nothing, so that nothing of it is removed. */
async function formerObjects(
  { bundles }: SourceDependencies,
  former: readonly string[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, JsonObject>> {
  const contents = new Map<string, JsonObject>();
  for (const checksum of former) {
    const found = await bundles.bundleOf({ objects: { checksum } }, signal);
    for (const { name, content } of prepared(found.kind === 'found' ? found.objects : []))
      if (!contents.has(name)) contents.set(name, content);
  }
  return contents;
}

async function bundleSource(
  dependencies: SourceDependencies,
  objects: ObjectsReference,
  spec: SourceSpec,
  signal?: AbortSignal,
): Promise<ObjectSource> {
  const last = spec.targets.flatMap(({ version }) => version ?? []).findLast((one) => one.objects !== undefined);
  const named = last === undefined ? {} : { id: last.id };
  const found = await dependencies.bundles.bundleOf({ ...named, objects }, signal);
  if (found.kind === 'missing') return { kind: 'problem', problem: found };
  const bundle: readonly BundleObject[] = found.objects;
  const rollouts = rolloutsOf(spec);
  const unnamed = unnamedContainers(bundle, rollouts.at(-1) ?? []);
  if (unnamed.length > 0) {
    const reason = `The manifest does not name these containers of the objects: ${listed(unnamed)}.`;
    const advice = 'Add their images to the manifest with steward manifest make --objects, and import it again.';
    return { kind: 'problem', problem: { reason, advice } };
  }
  const names = new Set(bundle.map(({ name }) => name));
  const former = await formerObjects(dependencies, spec.former, signal);
  const wanted = wantedObjects(bundle, rollouts, dependencies.deployment.referenceFor);
  return {
    kind: 'found',
    isUndo: false,
    wanted: wanted.map((one) => ({ ...one, installed: former.get(one.object) })),
    unwanted: [...former].flatMap(([object, content]) => (names.has(object) ? [] : [{ object, content }])),
  };
}

/** Finds what a job wants the objects to be. */
export async function findSource(
  dependencies: SourceDependencies,
  spec: SourceSpec,
  signal?: AbortSignal,
): Promise<ObjectSource> {
  const undone = spec.targets.flatMap(({ undoes }) => undoes ?? []).at(0);
  if (undone !== undefined) {
    const { job, step } = undone;
    const plan = await dependencies.planOf(job);
    return {
      kind: 'found',
      isUndo: true,
      ...objectsBefore(plan ?? { steps: [] }, step, await dependencies.contents.of(job)),
    };
  }
  if (spec.bundle !== undefined) return bundleSource(dependencies, spec.bundle, spec, signal);
  return { kind: 'found', isUndo: false, wanted: [], unwanted: [] };
}

// An object as it is at a time: what was applied, what another controller did since, and the images that its workload has.
import type { DocumentMap } from '../../../../foundation/documentStore.ts';
import type { JsonObject } from '../../../../foundation/schema/json.ts';
import { isWorkloadKind, templatePath, withImages } from '../../../../model/objects/podTemplate.ts';
import type { FieldPath } from '../../fields/leaves.ts';
import { leavesOf, pathId } from '../../fields/leaves.ts';
import type { WorkloadState } from '../../state/documents.ts';
import { objectIn, workloadIn } from '../../state/documents.ts';
import { OTHER_MANAGER } from '../../state/injectedFault.ts';
import type { FieldOwner, ObjectContent, ObjectState } from '../../state/objectState.ts';
import { isReverted } from '../../state/objectState.ts';
import type { RolloutStatus } from '../rollout.ts';
import { rolloutStatus } from '../rollout.ts';

export interface PresentWorkload extends RolloutStatus {
  readonly state: WorkloadState;
}

export interface PresentObject extends ObjectContent {
  readonly name: string;
  /** As it was written; undefined if Steward and the controls have never changed it. */
  readonly state?: ObjectState | undefined;
  /** The same without what its workload adds. */
  readonly recorded: ObjectContent;
  /** Undefined if it is not a workload. */
  readonly workload?: PresentWorkload | undefined;
}

const NOTHING: ObjectContent = { owners: [], isOurs: false };

/** The kind of a name, as `kindName`. */
export function kindIn(object: string): string {
  return object.slice(0, object.indexOf('/'));
}

/** What a workload of the inventory is as an object that Steward has never applied. */
function minimalObject({ name, component, module, wave, desired }: WorkloadState): JsonObject {
  const kind = kindIn(name);
  const labels = { 'app.kubernetes.io/component': component, 'app.kubernetes.io/part-of': module };
  const annotations = { 'steward/wave': String(wave) };
  const template = { spec: { containers: desired.map(({ container, image }) => ({ name: container, image })) } };
  const isCronJob = kind === 'CronJob';
  return {
    apiVersion: isCronJob ? 'batch/v1' : 'apps/v1',
    kind,
    metadata: { name: name.slice(kind.length + 1), labels, annotations },
    spec: isCronJob ? { jobTemplate: { spec: { template } } } : { template },
  };
}

/** Where the images of a workload are. */
export function imagePaths(live: JsonObject): readonly FieldPath[] {
  const template = templatePath(live) ?? [];
  const paths = [...leavesOf(live).values()].map(({ path }) => path);
  return paths.filter(
    (path) =>
      path.length === template.length + 4 &&
      path.at(-1) === 'image' &&
      template.every((key, n) => path[n] === key) &&
      (path.at(-3) === 'containers' || path.at(-3) === 'initContainers'),
  );
}

function withWorkload(content: ObjectContent, { state, desired }: PresentWorkload): ObjectContent {
  const imageFor = (container: string): string | undefined => desired.find((one) => one.container === container)?.image;
  const live = withImages(content.live ?? minimalObject(state), imageFor);
  const fields = imagePaths(live).map(pathId);
  const owners: readonly FieldOwner[] = state.managers.map(({ name, reconciles }) => ({ name, reconciles, fields }));
  return { ...content, live, owners: [...content.owners, ...owners] };
}

function contentAt(state: ObjectState | undefined, now: number): ObjectContent {
  const { change } = state ?? {};
  if (change !== undefined && isReverted(change, now))
    return { ...(change.former ?? NOTHING), changedBy: OTHER_MANAGER.name };
  if (state === undefined) return NOTHING;
  const { name: _, generation: __, change: ___, ...content } = state;
  return content;
}

function workloadAt(documents: DocumentMap, object: string, now: number): PresentWorkload | undefined {
  const state = isWorkloadKind(kindIn(object)) ? workloadIn(documents, object) : undefined;
  return state && existingWorkload(state, now);
}

/** Undefined for a workload whose creation another controller has reverted: it has no images. */
export function existingWorkload(state: WorkloadState, now: number): PresentWorkload | undefined {
  const status = rolloutStatus(state, now);
  return status.desired.length === 0 ? undefined : { ...status, state };
}

export function presentObject(documents: DocumentMap, name: string, now: number): PresentObject {
  const state = objectIn(documents, name);
  const workload = workloadAt(documents, name, now);
  const recorded = contentAt(state, now);
  const { live, content, owners, isOurs, changedBy } = workload ? withWorkload(recorded, workload) : recorded;
  return {
    name,
    owners,
    isOurs,
    ...(live && { live }),
    ...(content && { content }),
    ...(changedBy !== undefined && { changedBy }),
    state,
    recorded,
    workload,
  };
}

// Sets the images of a workload by server-side apply, as the field manager `steward`.
import { isObject } from '../../../foundation/schema/json.ts';
import { sentence } from '../../../foundation/text/sentence.ts';
import type { Failure } from '../../../model/failure.ts';
import { DeploymentRefusal } from '../../../model/failure.ts';
import type { Image, Manager } from '../../../model/workload.ts';
import type { Begun } from '../../../upgrades/ports/deployment.ts';
import type { ClusterApi, ClusterObject } from '../api/clusterApi.ts';
import { ApiError, asRefusal, isApiConflict } from '../api/apiError.ts';
import { extract, mergedFields } from '../fields/extract.ts';
import { appliedEntry } from '../fields/fieldSet.ts';
import { ANNOTATIONS, FIELD_MANAGER } from '../workloads/labels.ts';
import { managersOf } from '../workloads/managers.ts';
import { pausedSources } from '../workloads/pausedSources.ts';
import type { FoundWorkload, WorkloadKind } from '../workloads/podTemplate.ts';
import { imagesPatch, isConfigured, templateContainers } from '../workloads/podTemplate.ts';
import { obstacleOf, splitName } from '../workload.ts';
import { deleteFailedPods, deleteStuckPods } from './stuckPods.ts';

const MAX_TRIES = 5;

type Refused = Extract<Begun, { readonly kind: 'refused' }>;

function refused(reason: string, advice: string): Refused {
  return { kind: 'refused', failure: { reason, lines: [], advice } };
}

function withoutVersion(object: ClusterObject): ClusterObject {
  const { resourceVersion: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** The fence of an object; 0 if it has none, or one of another installation. */
export function fenceOf(
  { metadata: { annotations } }: ClusterObject,
  { installation }: Pick<ClusterApi, 'installation'>,
): number {
  if (annotations?.[ANNOTATIONS.installation] !== installation) return 0;
  const fence = Number(annotations[ANNOTATIONS.fence] ?? 0);
  return Number.isSafeInteger(fence) ? fence : 0;
}

/**
 * The object with the images as an apply sends it: everything that Steward has applied before, because an apply removes what it
 * leaves out; nothing that another manager owns; and the version that was read.
 */
function applyBody(kind: WorkloadKind, object: ClusterObject, images: readonly Image[]): ClusterObject {
  const { name, namespace, resourceVersion } = object.metadata;
  const present = templateContainers(kind, object);
  const changed = images.filter(({ container, image }) =>
    present.some((one) => one.name === container && one.image !== image),
  );
  const set = appliedEntry(object)?.fieldsV1;
  const { metadata, spec, ...others } = extract(object, isObject(set) ? set : {});
  return {
    ...others,
    kind,
    metadata: {
      ...(isObject(metadata) && metadata),
      name,
      ...(namespace !== undefined && { namespace }),
      ...(resourceVersion !== undefined && { resourceVersion }),
    },
    spec: mergedFields(spec, imagesPatch(kind, present, changed)),
  };
}

export interface ImagesDependencies {
  readonly api: ClusterApi;
  readonly takeOverFrom: ReadonlySet<string>;
}

/** The manager that would revert a change; undefined if none would. */
async function revertingManager(
  { api, takeOverFrom }: ImagesDependencies,
  object: ClusterObject,
  signal: AbortSignal | undefined,
): Promise<Manager | undefined> {
  const managers = managersOf(object, takeOverFrom);
  if (!managers.some(({ reconciles }) => reconciles)) return undefined;
  const paused = await pausedSources(api, object, signal);
  return managersOf(object, takeOverFrom, paused).find(({ reconciles }) => reconciles);
}

async function obstacle(
  dependencies: ImagesDependencies,
  { kind, object }: FoundWorkload,
  { images, isAcknowledged }: Pick<ImagesChange, 'images' | 'isAcknowledged'>,
  signal: AbortSignal | undefined,
): Promise<Refused | undefined> {
  const name = `${kind}/${object.metadata.name}`;
  const unknown = images.find(
    ({ container }) => !templateContainers(kind, object).some((one) => one.name === container),
  );
  if (unknown !== undefined)
    return refused(
      `${name} has no container ${unknown.container}.`,
      'Compare the manifest with the workload, then plan again.',
    );
  const manager = isAcknowledged === true ? undefined : await revertingManager(dependencies, object, signal);
  if (manager !== undefined)
    return refused(
      `The images of ${name} are managed by ${manager.name}, which would revert a change.`,
      `Pause ${manager.name}, change the image in its source, or send acknowledge=${name}.`,
    );
  const blocked = obstacleOf(object);
  return blocked === undefined
    ? undefined
    : refused(`The images of ${name} cannot be changed now: ${blocked}.`, 'Remove the obstacle.');
}

function refusedImages(workload: string, error: unknown): Begun | undefined {
  return error instanceof ApiError && error.status === 422
    ? refused(
        `The cluster refused the images of ${workload}: ${sentence(error.message)}`,
        'Correct the images in the manifest, then plan again.',
      )
    : undefined;
}

/** Says why a change of images would be refused, by a dry run; undefined if it would be accepted. */
export async function rehearseImages(
  dependencies: ImagesDependencies,
  found: FoundWorkload,
  change: Pick<ImagesChange, 'images' | 'isAcknowledged'>,
  signal?: AbortSignal,
): Promise<Failure | undefined> {
  const { kind } = found;
  const { name } = found.object.metadata;
  const workload = `${kind}/${name}`;
  const refusing = await obstacle(dependencies, found, change, signal);
  if (refusing !== undefined) return refusing.failure;
  const object = found.object.isPartial ? await dependencies.api.read(kind, name, signal) : found.object;
  if (object === undefined) return absentWorkload(workload, dependencies.api.namespace).failure;
  try {
    const options = { manager: FIELD_MANAGER, force: true, isDryRun: true };
    // Without the version: another writer may come before the change, and the change reads again.
    await dependencies.api.apply(applyBody(kind, withoutVersion(object), change.images), options, signal);
    return undefined;
  } catch (error) {
    const refusal = asRefusal(error, `the change of ${workload}`);
    if (refusal instanceof DeploymentRefusal) return refusal.failure;
    throw error;
  }
}

/** The refusal of a change of a workload that does not exist. */
export function absentWorkload(workload: string, namespace: string): Refused {
  return refused(
    `There is no workload ${workload} in the namespace ${namespace}.`,
    'Compare the manifest with the deployment, then plan again.',
  );
}

export interface ImagesChange {
  readonly workload: string;
  readonly images: readonly Image[];
  /** The workload as it was a while ago, if that is known: saves a read, because the server refuses a change of an old version. */
  readonly known?: ClusterObject | undefined;
  /** Whether the images are changed although a manager may revert that. */
  readonly isAcknowledged?: boolean | undefined;
}

/** Starts the rollout of images. The receipt is the generation that the change made. */
export async function beginImages(
  dependencies: ImagesDependencies,
  change: ImagesChange,
  fence: number,
  signal: AbortSignal | undefined,
): Promise<Begun> {
  const { api } = dependencies;
  const { workload, images, known } = change;
  const split = splitName(workload);
  if (split === undefined) return absentWorkload(workload, api.namespace);
  const { kind, name } = split;
  const isKnown = known !== undefined && !known.isPartial && !isConfigured({ kind, object: known }, images);
  for (let tries = 1; ; tries += 1) {
    const object = isKnown && tries === 1 ? known : await api.read(kind, name, signal);
    if (object === undefined) return absentWorkload(workload, api.namespace);
    if (fenceOf(object, api) > fence) return { kind: 'overtaken' };
    if (isConfigured({ kind, object }, images)) {
      if (kind !== 'CronJob') await deleteFailedPods(api, kind, object, images, signal);
      return { kind: 'begun', receipt: String(object.metadata.generation ?? 0) };
    }
    const found = await obstacle(dependencies, { kind, object }, change, signal);
    // An obstacle may have been removed since.
    if (found !== undefined && object === known) continue;
    if (found !== undefined) return found;
    try {
      const changed = await api.apply(applyBody(kind, object, images), { manager: FIELD_MANAGER, force: true }, signal);
      if (kind === 'StatefulSet') await deleteStuckPods(api, changed, images, signal);
      return { kind: 'begun', receipt: String(changed.metadata.generation ?? 0) };
    } catch (error) {
      // Another writer came between the read and the change: look again.
      if (isApiConflict(error) && tries < MAX_TRIES) continue;
      const refusal = refusedImages(workload, error);
      if (refusal !== undefined) return refusal;
      throw asRefusal(error, `the change of ${workload}`);
    }
  }
}

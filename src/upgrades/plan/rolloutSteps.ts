// The steps of a plan that roll out workloads, wave after wave: by their images alone, or as whole objects.
import type { Workload } from '../../model/workload.ts';
import type { Change, Durations, ObjectChange, RolloutId, RolloutStep, Update } from '../values/plan.ts';
import type { ImagesFor } from '../versions/images.ts';
import { isSameImages } from '../versions/images.ts';
import { wavesMs } from './estimate.ts';
import type { DraftedObject, DraftedObjects } from './objects/draftObjects.ts';

export interface RolloutSpec {
  readonly update: Update;
  readonly title: string;
  readonly imagesFor: ImagesFor;
}

export interface RolloutInput {
  readonly inventory: { readonly workloads: readonly Workload[] };
  readonly rollouts: readonly RolloutSpec[];
  readonly objects: DraftedObjects;
  /** How many workloads are updated at a time. */
  readonly parallel: number;
  readonly durations: Durations;
}

const ROLLOUT_MS = 60_000;

/** A workload that does not exist yet. */
function newWorkload({ object, finding: { place }, rank }: DraftedObject): Workload {
  const [, name = object] = object.split('/');
  const where = place ?? { component: name, module: name, wave: rank, isSteward: false };
  return {
    name: object,
    ...where,
    images: [],
    trouble: undefined,
    blocked: undefined,
    managers: [],
    expectedMs: undefined,
  };
}

interface Planned extends Pick<Change, 'to' | 'object'> {}

/** What a rollout does with a workload as a whole; undefined if it leaves it alone. */
function wholeChange(drafted: DraftedObject, { images }: Workload, n: number): Planned | undefined {
  const stage = drafted.stages[n];
  if (stage === undefined) return undefined;
  const { finding, firstStage, former, configuration } = drafted;
  const isFirst = n === firstStage;
  if (!isFirst && (firstStage > n || isSameImages(images, stage.images))) return undefined;
  const isNew = isFirst && former === undefined;
  const change: ObjectChange = {
    verb: isNew ? 'create' : 'change',
    content: stage.content,
    former,
    isCompared: isFirst && finding.kind !== 'unknown',
    ...(configuration !== undefined && { configuration }),
    ...(finding.final !== undefined && { final: finding.final }),
  };
  return { to: stage.images, object: change };
}

function imagesChange(workload: Workload, imagesFor: ImagesFor): Planned | undefined {
  const to = imagesFor(workload);
  return isSameImages(workload.images, to) ? undefined : { to };
}

function changeOf(workload: Workload, planned: Planned | undefined, durations: Durations): Change | undefined {
  if (planned === undefined) return undefined;
  const { name, component, module, images: from } = workload;
  const estimateMs = durations.workloads.get(name) ?? workload.expectedMs ?? ROLLOUT_MS;
  return { workload: name, component, module, from, estimateMs, ...planned };
}

/** Steward itself comes after all other workloads: its replacement takes over a job that has only the rest to do. */
function waveOf({ isSteward, wave }: Workload): number {
  return isSteward ? Number.POSITIVE_INFINITY : wave;
}

/** Groups the changes by wave. The longest update of a wave comes first, so that it does not start last. */
function wavesOf(
  workloads: readonly Workload[],
  plannedFor: (workload: Workload) => Planned | undefined,
  durations: Durations,
): readonly (readonly Change[])[] {
  const waves = new Map<number, Change[]>();
  for (const workload of workloads) {
    const change = changeOf(workload, plannedFor(workload), durations);
    if (change === undefined) continue;
    const wave = waves.get(waveOf(workload)) ?? [];
    waves.set(waveOf(workload), wave);
    wave.push(change);
  }
  return [...waves]
    .toSorted(([a], [b]) => a - b)
    .map(([, wave]) => wave.toSorted((a, b) => b.estimateMs - a.estimateMs || a.workload.localeCompare(b.workload)));
}

/** Names the nth rollout. */
export function rolloutId(rollouts: readonly { readonly update: Update }[], n: number): RolloutId {
  const { update = 'patch' } = rollouts[n] ?? {};
  const earlier = rollouts.slice(0, n).filter((one) => one.update === update).length;
  return earlier === 0 ? update : `${update}-${earlier + 1}`;
}

/** The workloads that are rolled out: those that exist and stay, and those that the objects add. */
function rolledOut({
  inventory,
  objects: { objects },
}: Pick<RolloutInput, 'inventory' | 'objects'>): readonly Workload[] {
  const present = new Set(inventory.workloads.map(({ name }) => name));
  const removed = new Set(
    objects.filter(({ stages, kept }) => stages.length === 0 && !kept).map(({ object }) => object),
  );
  const added = objects.filter(({ part, object }) => part === 'workloads' && !present.has(object));
  return [...inventory.workloads.filter(({ name }) => !removed.has(name)), ...added.map(newWorkload)];
}

/** The workloads that the deployment has after the job, those that objects add with their images. */
export function workloadsAfter(input: Pick<RolloutInput, 'inventory' | 'objects'>): readonly Workload[] {
  const images = new Map(
    input.objects.objects.map(({ object, stages }) => [
      object,
      stages.findLast((stage) => stage !== undefined)?.images,
    ]),
  );
  return rolledOut(input).map((one) => (one.images.length > 0 ? one : { ...one, images: images.get(one.name) ?? [] }));
}

export function rolloutSteps(input: RolloutInput): readonly RolloutStep[] {
  const { rollouts, objects, parallel, durations } = input;
  const whole = new Map(objects.objects.filter(({ part }) => part === 'workloads').map((one) => [one.object, one]));
  const steps: RolloutStep[] = [];
  let workloads = rolledOut(input);
  for (const [n, { update, title, imagesFor }] of rollouts.entries()) {
    const plannedFor = (workload: Workload): Planned | undefined => {
      const drafted = whole.get(workload.name);
      return drafted === undefined ? imagesChange(workload, imagesFor) : wholeChange(drafted, workload, n);
    };
    const waves = wavesOf(workloads, plannedFor, durations);
    const id = rolloutId(rollouts, n);
    if (waves.length > 0)
      steps.push({ kind: 'rollout', id, title, update, isFinal: false, estimateMs: wavesMs(waves, parallel), waves });
    workloads = workloads.map((one) => ({ ...one, images: plannedFor(one)?.to ?? one.images }));
  }
  return steps;
}

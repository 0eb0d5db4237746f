import { MINUTE } from '../../../foundation/clock.ts';
import type { Failure } from '../../../model/failure.ts';
import type { Image } from '../../../model/workload.ts';
import type { Observation } from '../../../upgrades/ports/deployment.ts';
import type { IsSameImage } from '../registry/imageFinder.ts';
import type { FoundWorkload } from '../workloads/podTemplate.ts';
import { lastImageChange } from '../workloads/managers.ts';
import { isConfigured } from '../workloads/podTemplate.ts';
import { countRollout } from './gate.ts';
import type { EventSubject } from './objectEvents.ts';
import type { Pod } from './pods.ts';
import type { PodTrouble } from './trouble.ts';
import { controllerTrouble, explained, troublesOf } from './trouble.ts';

export interface RolloutView extends FoundWorkload {
  /** The pods of the workload. */
  readonly pods: readonly Pod[];
}

export interface ObservedRollout {
  readonly observation: Observation;
  /** Explains a failure, or why a rollout still runs; the log of its container may say more. */
  readonly trouble?: PodTrouble | undefined;
  /** What the controller says. */
  readonly said?: string | undefined;
  /** An image of which a container runs another digest, as far as is known: the registry may tell that it is the same. */
  readonly mismatch?: Image | undefined;
  /** The object that a rollout waits for: its events may tell more. */
  readonly waiting?: EventSubject;
  /** What is missing until it is complete. */
  readonly missing?: string;
}

const DONE: Observation = { state: 'done', lines: [] };

/** The pods of the new template. Those that end, and those of the former template, do not count. */
function newPods({ pods }: RolloutView, images: readonly Image[]): readonly Pod[] {
  return pods.filter(
    ({ containers, isTerminating }) =>
      !isTerminating &&
      images.every(({ container, image }) => containers.some((one) => one.name === container && one.image === image)),
  );
}

interface Mismatch {
  readonly image: Image;
  readonly failure: Failure;
}

/** Finds a container that runs with another content than the manifest says. */
function mismatchOf(
  workload: string,
  pods: readonly Pod[],
  images: readonly Image[],
  isSame: IsSameImage,
): Mismatch | undefined {
  for (const pod of pods)
    for (const { name, digest } of pod.containers) {
      const image = images.find(({ container }) => container === name);
      if (image?.checksum === undefined || digest === undefined || isSame(image.checksum, digest)) continue;
      const failure = {
        reason: `${workload}: the container ${name} of the pod ${pod.name} runs ${image.image} with the checksum ${digest}, not ${image.checksum}.`,
        lines: [],
        advice: 'Find out what the registry serves under this reference, and push the image that the manifest names.',
      };
      return { image, failure };
    }
  return undefined;
}

/** A pod that runs all of these images, and tells their digests. */
function isProven({ isReady, containers }: Pod, images: readonly Image[]): boolean {
  return (
    isReady &&
    images.every(({ container }) => containers.some((one) => one.name === container && one.digest !== undefined))
  );
}

/** A pod on a lost node stays until the node is removed. */
const LOST_AFTER_MS = MINUTE;

/** The pods of former templates that still run. */
function oldPods({ pods }: RolloutView, current: readonly Pod[], now: number): readonly Pod[] {
  return pods.filter(
    (pod) =>
      !current.includes(pod) &&
      pod.phase !== 'Succeeded' &&
      pod.phase !== 'Failed' &&
      (pod.endsAt === undefined || now < pod.endsAt + LOST_AFTER_MS),
  );
}

/** What is missing until the rollout is complete and its images are proven; undefined if nothing is. */
function missingFor(view: RolloutView, images: readonly Image[], current: readonly Pod[], rules: RolloutRules) {
  const { missing, total } = countRollout(view.kind, view.object, rules.generation);
  // A CronJob has no pods until its next run.
  if (missing !== undefined || view.kind === 'CronJob') return missing;
  const proven = current.filter((pod) => isProven(pod, images)).length;
  if (proven < total) return `${proven} of ${total} pods are known to run the requested image`;
  const old = oldPods(view, current, rules.now).length;
  return old > 0 ? `old pods that are ending: ${old}` : undefined;
}

export interface RolloutRules {
  /** The generation that the change made, if it is known. */
  readonly generation: number | undefined;
  readonly isSame: IsSameImage;
  readonly now: number;
}

/** The object whose events tell why a rollout goes on: the pod with the trouble, another pod that is not ready, or the workload. */
function waitingFor(
  { kind, object }: RolloutView,
  pods: readonly Pod[],
  trouble: PodTrouble | undefined,
): EventSubject {
  const pod = pods.find(({ name }) => name === trouble?.pod) ?? pods.find(({ isReady }) => !isReady);
  if (pod !== undefined) return { kind: 'Pod', name: pod.name, uid: pod.uid, since: pod.createdAt };
  const { name, uid } = object.metadata;
  return { kind, name, uid, since: lastImageChange(object) };
}

/** Judges the rollout of images. */
export function observeRollout(view: RolloutView, images: readonly Image[], rules: RolloutRules): ObservedRollout {
  const { generation, isSame } = rules;
  const isStale = generation !== undefined && (view.object.metadata.generation ?? 0) < generation;
  if (isStale) return { observation: { state: 'unknown', reason: 'the API server does not show the change yet' } };
  if (!isConfigured(view, images)) return { observation: { state: 'absent' } };
  const pods = newPods(view, images);
  const workload = `${view.kind}/${view.object.metadata.name}`;
  const mismatch = mismatchOf(workload, pods, images, isSame);
  if (mismatch !== undefined)
    return { observation: { state: 'failed', failure: mismatch.failure }, mismatch: mismatch.image };
  const missing = missingFor(view, images, pods, rules);
  if (missing === undefined) return { observation: DONE };
  const troubles = pods.filter(({ isReady }) => !isReady).flatMap(troublesOf);
  const trouble = troubles.find(({ isPermanent }) => isPermanent) ?? troubles[0];
  const waiting = waitingFor(view, pods, trouble);
  if (trouble?.isPermanent !== true) {
    const said = controllerTrouble(view.object);
    const why = trouble?.text ?? said;
    const detail = why === undefined ? missing : `${missing}; ${explained(why)}`;
    return { observation: { state: 'running', detail }, trouble, said, waiting, missing };
  }
  const reason = `${workload}: ${trouble.text}.`;
  return { observation: { state: 'failed', failure: { reason, lines: [], advice: trouble.advice } }, trouble, waiting };
}

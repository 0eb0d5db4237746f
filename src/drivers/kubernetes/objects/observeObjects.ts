// Observes acts on objects: whether each object is as wanted and, by its kind, ready. What is read is current, never what a watch has
// shown, except for the rollout of images, whose receipt tells whether a watch is too old.
import { isObject } from '../../../foundation/schema/json.ts';
import { mapInParallel } from '../../../foundation/flow/mapInParallel.ts';
import { isHook } from '../../../model/objects/objectMarks.ts';
import type { BegunAct, Observation } from '../../../upgrades/ports/deployment.ts';
import { ApiError } from '../api/apiError.ts';
import type { ClusterObject } from '../api/clusterApi.ts';
import type { Resource } from '../api/discovery.ts';
import type { ImagesAct } from '../rollout/observeImages.ts';
import { isWorkloadKind } from '../workloads/podTemplate.ts';
import type { ActRules } from './beginObject.ts';
import { bodyOf } from './content/body.ts';
import { staticChanges } from './content/change.ts';
import { lastOwner } from './content/changedSince.ts';
import { nameOf } from './compareObjects.ts';
import { isAsWanted } from './dryRun.ts';
import type { PresentObjects } from './present/presentObjects.ts';
import { readObjects } from './present/presentObjects.ts';
import { endingReason, readinessOf } from './present/readiness.ts';
import { findKinds } from './present/wantedKinds.ts';

export type BegunObjectAct = Extract<BegunAct, { readonly kind: 'object' }>;

export interface ObservationRules extends ActRules {
  /** Observes the rollouts of images. */
  readonly observeImages: (acts: readonly ImagesAct[], signal?: AbortSignal) => Promise<readonly Observation[]>;
  /** The generation of a workload as the watch has shown it. */
  readonly shownGeneration: (workload: string) => number | undefined;
}

const DONE: Observation = { state: 'done', lines: [] };
const ABSENT: Observation = { state: 'absent' };

/** Whether the pods of an object are proven by the images that run. A CronJob has none until its next run. */
function hasRollout({ object, content, images }: BegunObjectAct): boolean {
  const kind = object.slice(0, object.indexOf('/'));
  return content !== undefined && images.length > 0 && isWorkloadKind(kind) && kind !== 'CronJob' && !isHook(content);
}

function waiting(object: string, why: string): Observation {
  const [kind, name] = [object.slice(0, object.indexOf('/')), nameOf(object)];
  const advice = `Read what the cluster says about it: kubectl describe ${kind.toLowerCase()} ${name}.`;
  return { state: 'running', detail: why, trouble: { reason: `${object} is not ready: ${why}.`, lines: [], advice } };
}

function failed(object: string, why: string): Observation {
  const advice = 'Correct what the reason names in the objects of the version, or in the cluster.';
  return { state: 'failed', failure: { reason: `${object} has failed: ${why}.`, lines: [], advice } };
}

function observeRemoval({ object }: BegunObjectAct, live: ClusterObject | undefined): Observation {
  if (live === undefined) return DONE;
  return live.metadata.deletionTimestamp === undefined ? ABSENT : waiting(object, endingReason(live));
}

/** Whether the object is as wanted. A body that the server refuses is not what the object is. */
async function isLiveAsWanted(
  rules: ObservationRules,
  run: Parameters<typeof isAsWanted>[1],
  signal?: AbortSignal,
): Promise<boolean> {
  try {
    return await isAsWanted(rules, run, signal);
  } catch (error) {
    if (error instanceof ApiError && (error.status === 422 || error.status === 404)) return false;
    throw error;
  }
}

interface Seen {
  readonly act: BegunObjectAct;
  readonly resource: Resource;
  readonly live: ClusterObject | undefined;
  readonly autoscaled: ReadonlySet<string>;
}

/** Judges an act by its object as it is now. */
async function observeObject(rules: ObservationRules, seen: Seen, signal?: AbortSignal): Promise<Observation> {
  const { act, resource, live, autoscaled } = seen;
  if (act.content === undefined) return observeRemoval(act, live);
  if (live === undefined) return ABSENT;
  if (live.metadata.deletionTimestamp !== undefined) return waiting(act.object, endingReason(live));
  const { installation } = rules.api;
  const made = bodyOf(act, act.content, live, { installation, selector: rules.selector, autoscaled });
  if (made.kind === 'refused') return failed(act.object, made.problem.reason);
  if (!(await isLiveAsWanted(rules, { resource, live, body: made.body }, signal))) {
    const paths = staticChanges(live, made.body).map(({ path }) => path);
    const changedBy = act.receipt === undefined ? undefined : lastOwner(live, paths);
    return { state: 'absent', ...(changedBy !== undefined && { changedBy }) };
  }
  const generation = act.receipt === undefined ? undefined : Number(act.receipt);
  const readiness = readinessOf(live, generation);
  if (readiness.kind === 'ready') return DONE;
  return readiness.kind === 'failed' ? failed(act.object, readiness.why) : waiting(act.object, readiness.why);
}

/** A webhook that does not answer concerns the objects of its kinds, and says nothing about the others. */
function unknownOf(error: unknown): Observation {
  if (error instanceof ApiError && /\bwebhook\b/.test(error.message))
    return { state: 'unknown', reason: error.message };
  throw error;
}

/** Observes acts by their objects as they are now. */
async function observeNow(rules: ObservationRules, acts: readonly BegunObjectAct[], signal?: AbortSignal) {
  if (acts.length === 0) return [];
  const kinds = await findKinds(rules, acts, signal);
  const places = acts.flatMap(({ object }, n) => {
    const kind = kinds[n];
    return kind?.kind === 'served' ? [{ resource: kind.resource, name: nameOf(object) }] : [];
  });
  const present: PresentObjects = await readObjects(rules.api, places, signal);
  const isScaled = acts.some(({ content }) => isObject(content?.['spec']) && 'replicas' in content['spec']);
  const autoscaled = isScaled ? await rules.scaled(signal) : new Set<string>();
  return mapInParallel([...acts.entries()], async ([n, act]): Promise<Observation> => {
    const kind = kinds[n];
    if (kind?.kind === 'problem') return { state: 'unknown', reason: kind.problem.reason };
    if (kind?.kind !== 'served') return act.content === undefined ? DONE : ABSENT;
    const { resource } = kind;
    const refusal = present.refusal(resource);
    if (refusal !== undefined) throw refusal;
    const live = present.get({ resource, name: nameOf(act.object) });
    return observeObject(rules, { act, resource, live, autoscaled }, signal).catch(unknownOf);
  });
}

/** Whether the object must be read, although its rollout says something. */
function isUncertain(rules: ObservationRules, act: BegunObjectAct, rollout: Observation | undefined): boolean {
  if (rollout === undefined || rollout.state === 'done' || rollout.state === 'absent') return true;
  // Another manager may have changed fields other than images.
  return act.receipt !== undefined && (rules.shownGeneration(act.object) ?? 0) > Number(act.receipt);
}

/** What the object and the rollout of its images say together. */
function together(now: Observation, rollout: Observation | undefined): Observation {
  const isRolling = rollout !== undefined && rollout.state !== 'done' && rollout.state !== 'absent';
  return isRolling && (now.state === 'done' || now.state === 'running') ? rollout : now;
}

export async function observeObjects(
  rules: ObservationRules,
  acts: readonly BegunObjectAct[],
  signal?: AbortSignal,
): Promise<readonly Observation[]> {
  const rolling = acts.filter(hasRollout);
  const images = rolling.map(({ object, images: wanted, receipt }) => ({ workload: object, images: wanted, receipt }));
  const observed = images.length === 0 ? [] : await rules.observeImages(images, signal);
  const rollouts = new Map(rolling.map((act, n) => [act, observed[n]]));
  const uncertain = acts.filter((act) => isUncertain(rules, act, rollouts.get(act)));
  const now = await observeNow(rules, uncertain, signal);
  const byAct = new Map(uncertain.map((act, n) => [act, now[n] ?? ABSENT]));
  return acts.map((act) => {
    const rollout = rollouts.get(act);
    const seen = byAct.get(act);
    return seen === undefined ? (rollout ?? ABSENT) : together(seen, rollout);
  });
}

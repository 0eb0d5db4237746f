// Applies or removes one object, unless it was changed since the plan or another holder has taken over.
import type { Clock } from '../../../foundation/clock.ts';
import { SECOND } from '../../../foundation/clock.ts';
import type { JsonObject } from '../../../foundation/schema/json.ts';
import { isObject, valueAt } from '../../../foundation/schema/json.ts';
import type { Begun } from '../../../upgrades/ports/deployment.ts';
import type { ObjectAct, ObjectProblem } from '../../../upgrades/ports/objects.ts';
import { fenceOf } from '../acts/images.ts';
import { deleteFailedPods, deleteStuckPods } from '../acts/stuckPods.ts';
import { ApiError, isApiConflict } from '../api/apiError.ts';
import type { ClusterObject } from '../api/clusterApi.ts';
import { objectOf } from '../api/clusterApi.ts';
import type { Resource } from '../api/discovery.ts';
import { listAt } from '../api/objectFields.ts';
import { fieldName } from '../fields/difference.ts';
import { ownersOf } from '../fields/owners.ts';
import { appliedEntry, withFenceOwned } from '../fields/fieldSet.ts';
import { withInstalled } from '../fields/installed.ts';
import { givesUpStructure, ownershipChanges } from '../fields/release.ts';
import { withValue } from '../fields/places.ts';
import { isSame } from '../fields/sameFields.ts';
import { targetPatch } from '../fields/target.ts';
import { FENCE_MANAGER, FIELD_MANAGER } from '../workloads/labels.ts';
import { isWorkloadKind } from '../workloads/podTemplate.ts';
import { bodyOf, withFence } from './content/body.ts';
import { staticChanges } from './content/change.ts';
import { changedSince } from './content/changedSince.ts';
import type { ObjectRules } from './compareObjects.ts';
import { nameOf } from './compareObjects.ts';
import { conflictOf, managersIn } from './conflict.ts';
import { isAsWanted, isKnownSame } from './dryRun.ts';
import { problemOf, withoutValues } from './problems.ts';
import { keptReason } from './removal.ts';
import { findKinds } from './present/wantedKinds.ts';

export interface ActRules extends ObjectRules {
  readonly clock: Clock;
  /** The objects whose replicas an autoscaler in the cluster sets, as they were a moment ago. */
  readonly scaled: (signal?: AbortSignal) => Promise<ReadonlySet<string>>;
}

const MAX_TRIES = 5;
/** A holder that was frozen for longer may have been overtaken, and an object that does not exist has no fence. */
const MAX_AGE_MS = 4 * SECOND;

const PLAN_AGAIN = 'Look at what has changed, then plan again.';

function refused(reason: string, advice: string): Begun {
  return { kind: 'refused', failure: { reason, lines: [], advice } };
}

function refusedBy({ reason, advice, nextActions }: ObjectProblem): Begun {
  return { kind: 'refused', failure: { reason, lines: [], advice, nextActions } };
}

/** One try of an act. */
interface Try {
  readonly act: ObjectAct;
  readonly resource: Resource;
  /** With the fields of the installed version, if Steward has not applied it yet. */
  readonly live: ClusterObject | undefined;
  /** The managed fields that it really has. */
  readonly entries: number;
  readonly fence: number;
  readonly begunAt: number;
  readonly signal: AbortSignal | undefined;
}

type PresentTry = Try & { readonly live: ClusterObject };

function begun(object: ClusterObject): Begun {
  return { kind: 'begun', receipt: String(object.metadata.generation ?? 0) };
}

/** Takes the fields that an apply gives up from the other managers, so that the apply removes them. Returns the object after it. */
async function release(
  { api }: ActRules,
  { resource, live, entries, signal }: PresentTry,
  body: JsonObject,
): Promise<ClusterObject> {
  const patches = ownershipChanges(live, body).map(({ index, fields, assumed }) => {
    if (assumed === undefined || index < entries)
      return { op: 'replace', path: `/metadata/managedFields/${index}/fieldsV1`, value: fields };
    const { isAssumed: _, ...entry } = assumed;
    return {
      op: 'add',
      path: '/metadata/managedFields/-',
      value: { ...entry, fieldsType: 'FieldsV1', fieldsV1: fields },
    };
  });
  if (patches.length === 0) return live;
  const version = { op: 'replace', path: '/metadata/resourceVersion', value: live.metadata.resourceVersion };
  // One change with all that the apply would change, so that no rollout of a half begins.
  const whole = givesUpStructure(live, body) ? targetPatch(live, body) : [];
  return api.patch(resource, live.metadata.name, [version, ...patches, ...whole], { manager: FENCE_MANAGER }, signal);
}

/** The problem that a manager, which has come since the plan, would revert the change. */
async function conflictNow(rules: ActRules, { act, live, signal }: Try, body: JsonObject) {
  if (live === undefined || act.isAcknowledged === true || act.isUndo === true) return undefined;
  const fields = staticChanges(live, body).map(({ path }) => ({
    field: fieldName(path),
    managers: ownersOf(live, path),
  }));
  const owners = [...new Set(fields.flatMap(({ managers }) => managers))];
  return conflictOf(act.object, await managersIn(rules, live, owners, signal), fields);
}

/**
 * Lets Steward own no more of an object that was created again than before it was removed. Otherwise the next version would give up
 * what the server has set.
 */
async function withFormerOwnership(
  { api }: ActRules,
  { act, resource, signal }: Try,
  object: ClusterObject,
): Promise<ClusterObject> {
  const former = listAt(act.content, 'metadata', 'managedFields')[0];
  const [set, entry] = [valueAt(former, 'fieldsV1'), appliedEntry(object)];
  const index = object.metadata.managedFields?.findIndex((one) => one === entry) ?? -1;
  if (act.isUndo !== true || !isObject(set) || index < 0 || isSame(withFenceOwned(set), entry?.fieldsV1)) return object;
  const patch = [
    { op: 'replace', path: '/metadata/resourceVersion', value: object.metadata.resourceVersion },
    { op: 'replace', path: `/metadata/managedFields/${index}/fieldsV1`, value: withFenceOwned(set) },
  ];
  return api.patch(resource, object.metadata.name, patch, { manager: FENCE_MANAGER }, signal);
}

function assertFresh({ clock }: ActRules, { act, begunAt, signal }: Try): void {
  signal?.throwIfAborted();
  if (clock.now() - begunAt >= MAX_AGE_MS)
    throw new Error(`the change of ${act.object} took too long, and is tried again`);
}

async function applied(rules: ActRules, one: Try, body: JsonObject): Promise<Begun> {
  const { api } = rules;
  const { act, resource, live, fence, signal } = one;
  const fenced = withFence(body, String(fence), api.installation);
  assertFresh(rules, one);
  const present = live === undefined ? undefined : await release(rules, { ...one, live }, body);
  const version = present?.metadata.resourceVersion;
  const sent = version === undefined ? fenced : withValue(fenced, ['metadata', 'resourceVersion'], version);
  assertFresh(rules, one);
  const changed = await api.apply(objectOf(sent), { manager: FIELD_MANAGER, force: true, resource }, signal);
  if (resource.kind === 'StatefulSet' && act.images.length > 0) await deleteStuckPods(api, changed, act.images, signal);
  return begun(await withFormerOwnership(rules, one, changed));
}

async function beginApply(rules: ActRules, one: Try, content: JsonObject): Promise<Begun> {
  const { api, selector, same } = rules;
  const { act, resource, live, signal } = one;
  const isScaled = valueAt(content, 'spec', 'replicas') !== undefined;
  const autoscaled = isScaled ? await rules.scaled(signal) : new Set<string>();
  const made = bodyOf(act, content, live, { installation: api.installation, selector, autoscaled });
  if (made.kind === 'refused') return refusedBy(made.problem);
  const { body } = made;
  const asWanted = async (present: ClusterObject): Promise<Begun> => {
    const { kind } = resource;
    if (isWorkloadKind(kind) && kind !== 'CronJob' && act.images.length > 0)
      await deleteFailedPods(api, kind, present, act.images, signal);
    return begun(await withFormerOwnership(rules, one, present));
  };
  if (live !== undefined && isKnownSame(same, live, body) === true) return asWanted(live);
  const changed = changedSince(act, live, autoscaled.has(`${resource.kind}/${nameOf(act.object)}`));
  if (changed !== undefined) {
    if (live !== undefined && (await isAsWanted(rules, { resource, live, body }, signal))) return asWanted(live);
    return refused(changed, PLAN_AGAIN);
  }
  const conflict = await conflictNow(rules, one, body);
  return conflict === undefined ? applied(rules, one, body) : refusedBy(conflict);
}

async function beginRemoval(rules: ActRules, one: Try): Promise<Begun> {
  const { act, resource, live, signal } = one;
  if (live === undefined || live.metadata.deletionTimestamp !== undefined) return { kind: 'begun' };
  const kept = await keptReason(rules.api, live, signal);
  if (kept !== undefined) return refused(`${act.object} is not removed: ${kept}.`, PLAN_AGAIN);
  const changed = changedSince(act, live, (await rules.scaled(signal)).has(act.object));
  if (changed !== undefined) return refused(changed, PLAN_AGAIN);
  assertFresh(rules, one);
  await rules.api.removeVersion(resource, live, {}, signal);
  return { kind: 'begun' };
}

/** Begins an act on an object. The receipt is the generation that the change made. */
export async function beginObject(
  rules: ActRules,
  act: ObjectAct,
  fence: number,
  signal: AbortSignal | undefined,
): Promise<Begun> {
  const { api, clock } = rules;
  const begunAt = clock.now();
  const [kind] = await findKinds(rules, [act], signal);
  if (kind === undefined || kind.kind === 'none') return { kind: 'begun' };
  if (kind.kind === 'problem') return refusedBy(kind.problem);
  if (kind.kind === 'defined') throw new Error(`the cluster does not serve the kind of ${act.object} yet`);
  const { resource } = kind;
  const isSecret = resource.kind === 'Secret';
  for (let tries = 1; ; tries += 1) {
    const read = await api.read(resource, nameOf(act.object), signal);
    if (read !== undefined && fenceOf(read, api) > fence) return { kind: 'overtaken' };
    // What the plan has found has the fields of the installed version that the new one has not.
    const live = read && withInstalled(read, act.isUndo === true ? undefined : act.expected, resource.apiVersion);
    const entries = read?.metadata.managedFields?.length ?? 0;
    const one = { act, resource, live, entries, fence, begunAt, signal };
    try {
      return act.content === undefined ? await beginRemoval(rules, one) : await beginApply(rules, one, act.content);
    } catch (error) {
      // Another writer came between the read and the change: look again.
      const isGone = error instanceof ApiError && error.status === 404 && live !== undefined;
      if ((isApiConflict(error) || isGone) && tries < MAX_TRIES) continue;
      const safe = withoutValues(error, isSecret);
      const problem = problemOf(safe, act.object);
      if (problem === undefined) throw safe;
      return refusedBy(problem);
    }
  }
}

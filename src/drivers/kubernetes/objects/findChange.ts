// What an apply or a removal of one object would do now.
import type { JsonObject } from '../../../foundation/schema/json.ts';
import { isHook } from '../../../model/objects/objectMarks.ts';
import { templatePath } from '../../../model/objects/podTemplate.ts';
import type { ObjectFinding, ObjectProblem } from '../../../upgrades/ports/objects.ts';
import { ApiError } from '../api/apiError.ts';
import type { ClusterObject } from '../api/clusterApi.ts';
import { objectOf } from '../api/clusterApi.ts';
import type { Resource } from '../api/discovery.ts';
import { fieldName } from '../fields/difference.ts';
import { withInstalled } from '../fields/installed.ts';
import { placeOf } from '../workload.ts';
import type { BodyRules, Wanted } from './content/body.ts';
import { bodyOf } from './content/body.ts';
import { changesOf, fieldChanges, formerOf, shownChanges, staticChanges } from './content/change.ts';
import type { ConflictRules } from './conflict.ts';
import { conflictOf, managersIn } from './conflict.ts';
import type { ApplyRun, SameCache } from './dryRun.ts';
import { dryRun, isKnownSame, rememberSame } from './dryRun.ts';
import { problemOf, withoutValues } from './problems.ts';
import { finalChange, finalRemoval, formerOfRemoved, keptReason } from './removal.ts';

export interface FindingRules extends ConflictRules {
  readonly body: BodyRules;
  readonly same: SameCache;
}

const NOTHING = { fields: [], former: undefined, managers: [], problems: [] };

export function findingWith(object: string, kind: ObjectFinding['kind'], problem?: ObjectProblem): ObjectFinding {
  return { object, ...NOTHING, kind, problems: problem === undefined ? [] : [problem] };
}

/** A binding to a role of the same version, which is not there yet, so that the server cannot compare their rights. */
function isEarlyBinding(error: unknown, { kind }: Resource): boolean {
  return error instanceof ApiError && error.status === 404 && /^(?:Cluster)?RoleBinding$/.test(kind);
}

/** A dry run, or the problem that its answer is. Throws what may pass. */
async function tried(
  { api }: FindingRules,
  object: string,
  run: ApplyRun,
  signal?: AbortSignal,
): Promise<{ readonly result: ClusterObject | undefined; readonly problem?: ObjectProblem }> {
  try {
    return { result: await dryRun(api, run, signal) };
  } catch (error) {
    if (isEarlyBinding(error, run.resource)) return { result: undefined };
    const isSecret = run.resource.kind === 'Secret';
    const changed = run.live === undefined || isSecret ? [] : staticChanges(run.live, run.body);
    const problem = problemOf(
      error,
      object,
      changed.map(({ path }) => fieldName(path)),
    );
    if (problem === undefined) throw error;
    return { result: undefined, problem };
  }
}

function placeIn(content: JsonObject): Pick<ObjectFinding, 'place'> {
  const isWorkload = templatePath(content) !== undefined && !isHook(content);
  return isWorkload ? { place: placeOf(objectOf(content)) } : {};
}

function endingProblem(object: string): ObjectProblem {
  const reason = `${object} is being removed, and is not gone yet.`;
  return { kind: 'refused', reason, advice: 'Wait until it is gone, or remove its finalizers, then plan again.' };
}

/** Finds what an apply of an object that exists would change. */
async function findChange(
  rules: FindingRules,
  { wanted, resource, content }: Found & { readonly content: JsonObject },
  run: ApplyRun & { readonly live: ClusterObject },
  signal?: AbortSignal,
): Promise<ObjectFinding> {
  const { object, isAcknowledged } = wanted;
  const { live, body } = run;
  if (isKnownSame(rules.same, live, body) === true) return findingWith(object, 'unchanged');
  const { result, problem } = await tried(rules, object, run, signal);
  if (result === undefined) return findingWith(object, 'change', problem);
  const changes = changesOf(live, result);
  rememberSame(rules.same, live, body, changes.length === 0);
  if (changes.length === 0) return findingWith(object, 'unchanged');
  const fields = fieldChanges(live, changes);
  const owners = [...new Set(fields.flatMap((one) => one.managers))];
  const managers = await managersIn(rules, live, owners, signal);
  const conflict = isAcknowledged === true ? undefined : conflictOf(object, managers, fields);
  const final = finalChange(content, live);
  return {
    object,
    kind: 'change',
    fields: shownChanges(fields),
    former: await formerOf(rules.api, resource, { live, result, body }, signal),
    managers,
    problems: conflict === undefined ? [] : [conflict],
    ...(final !== undefined && { final }),
  };
}

/** A wanted object, its kind, and the object as it is now. */
export interface Found {
  readonly wanted: Wanted;
  readonly resource: Resource;
  readonly live: ClusterObject | undefined;
}

/** Finds what an apply would do. */
export async function findApply(
  rules: FindingRules,
  found: Found & { readonly content: JsonObject },
  signal?: AbortSignal,
): Promise<ObjectFinding> {
  const { wanted, resource, content } = found;
  const { object, installed = wanted.expected } = wanted;
  const live =
    found.live && withInstalled(found.live, wanted.isUndo === true ? undefined : installed, resource.apiVersion);
  const made = bodyOf(wanted, content, live, rules.body);
  const kind = live === undefined ? 'create' : 'change';
  if (made.kind === 'refused') return findingWith(object, kind, made.problem);
  if (live?.metadata.deletionTimestamp !== undefined) return findingWith(object, kind, endingProblem(object));
  const { body } = made;
  if (live !== undefined) return findChange(rules, found, { resource, live, body }, signal);
  const { problem } = await tried(rules, object, { resource, live, body }, signal);
  return { ...findingWith(object, 'create', problem), ...placeIn(body) };
}

/** Finds what a removal would do. */
export async function findRemoval(
  rules: FindingRules,
  { wanted, resource, live }: Found,
  signal?: AbortSignal,
): Promise<ObjectFinding> {
  const { object, isAcknowledged } = wanted;
  if (live === undefined) return findingWith(object, 'absent');
  let kept: string | undefined;
  try {
    kept = await keptReason(rules.api, live, signal);
  } catch (error) {
    const problem = problemOf(error, object);
    if (problem === undefined) throw error;
    return findingWith(object, 'remove', problem);
  }
  if (kept !== undefined) return { ...findingWith(object, 'keep'), kept };
  const managers = await managersIn(rules, live, [], signal);
  const conflict = isAcknowledged === true ? undefined : conflictOf(object, managers, []);
  const refusal = await removalProblem(rules, { wanted, resource, live }, signal);
  const final = finalRemoval(live);
  return {
    object,
    kind: 'remove',
    fields: [],
    former: formerOfRemoved(live),
    managers,
    problems: [conflict, refusal].filter((one) => one !== undefined),
    ...(final !== undefined && { final }),
  };
}

async function removalProblem(
  { api }: FindingRules,
  { wanted, resource, live }: Found & { readonly live: ClusterObject },
  signal?: AbortSignal,
): Promise<ObjectProblem | undefined> {
  try {
    await api.removeVersion(resource, live, { isDryRun: true }, signal);
    return undefined;
  } catch (error) {
    const safe = withoutValues(error, resource.kind === 'Secret');
    const isGone = error instanceof ApiError && (error.status === 404 || error.status === 409);
    const problem = isGone ? undefined : problemOf(safe, wanted.object);
    if (problem === undefined && !isGone) throw safe;
    return problem;
  }
}

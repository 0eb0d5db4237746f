// Finds without a change what an apply or a removal of many objects would do: one list for each kind, and one dry run for each object
// that differs.
import { mapInParallel } from '../../../foundation/flow/mapInParallel.ts';
import type { Failure } from '../../../model/failure.ts';
import type { ObjectAct, ObjectFinding, WantedObject } from '../../../upgrades/ports/objects.ts';
import type { ClusterApi } from '../api/clusterApi.ts';
import type { ConflictRules } from './conflict.ts';
import { findApply, findingWith, findRemoval } from './findChange.ts';
import type { FindingRules } from './findChange.ts';
import type { SameCache } from './dryRun.ts';
import { readObjects, scaledBy, scaledObjects } from './present/presentObjects.ts';
import { problemOf } from './problems.ts';
import type { KindRules, WantedKind } from './present/wantedKinds.ts';
import { findKinds } from './present/wantedKinds.ts';

export interface ObjectRules extends ConflictRules, KindRules {
  readonly api: ClusterApi;
  /** Of the workloads in the inventory. */
  readonly selector: string;
  readonly same: SameCache;
}

export function nameOf(object: string): string {
  return object.slice(object.indexOf('/') + 1);
}

/** The objects whose replicas an autoscaler sets, or will set after this version. */
async function autoscaledBy(
  api: ClusterApi,
  wanted: readonly WantedObject[],
  signal?: AbortSignal,
): Promise<ReadonlySet<string>> {
  const contents = wanted.map(({ content }) => content).filter((one) => one !== undefined);
  const isScaled = contents.some(({ spec }) => typeof spec === 'object' && spec !== null && 'replicas' in spec);
  if (!isScaled) return new Set();
  const added = contents.filter(({ kind }) => kind === 'HorizontalPodAutoscaler').flatMap((one) => scaledBy(one) ?? []);
  return new Set([...added, ...(await scaledObjects(api, signal))]);
}

function findingWithoutKind(one: WantedObject, kind: Exclude<WantedKind, { kind: 'served' }>): ObjectFinding {
  if (kind.kind === 'problem')
    return findingWith(one.object, one.content === undefined ? 'remove' : 'create', kind.problem);
  return findingWith(one.object, kind.kind === 'none' ? 'absent' : 'unknown');
}

export async function compareObjects(
  rules: ObjectRules,
  wanted: readonly WantedObject[],
  signal?: AbortSignal,
): Promise<readonly ObjectFinding[]> {
  const { api, selector } = rules;
  const [kinds, autoscaled] = await Promise.all([findKinds(rules, wanted, signal), autoscaledBy(api, wanted, signal)]);
  const places = wanted.flatMap((one, n) => {
    const kind = kinds[n];
    return kind?.kind === 'served' ? [{ resource: kind.resource, name: nameOf(one.object) }] : [];
  });
  const present = await readObjects(api, places, signal);
  const findingRules: FindingRules = { ...rules, body: { installation: api.installation, selector, autoscaled } };

  return mapInParallel([...wanted.entries()], async ([n, one]): Promise<ObjectFinding> => {
    const kind = kinds[n] ?? { kind: 'none' };
    const { object, content } = one;
    if (kind.kind !== 'served') return findingWithoutKind(one, kind);
    const { resource } = kind;
    const refusal = present.refusal(resource);
    if (refusal !== undefined)
      return findingWith(object, content === undefined ? 'remove' : 'change', problemOf(refusal, object));
    const found = { wanted: one, resource, live: present.get({ resource, name: nameOf(object) }) };
    return content === undefined
      ? findRemoval(findingRules, found, signal)
      : findApply(findingRules, { ...found, content }, signal);
  });
}

/** Says why an act on an object would be refused; undefined if it would not be. */
export async function rehearseObject(
  rules: ObjectRules,
  act: ObjectAct,
  signal?: AbortSignal,
): Promise<Failure | undefined> {
  const [finding] = await compareObjects(rules, [act], signal);
  const [problem] = finding?.problems ?? [];
  return problem && { reason: problem.reason, lines: [], advice: problem.advice, nextActions: problem.nextActions };
}

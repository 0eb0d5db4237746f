import type { JsonObject } from '../../../../foundation/schema/json.ts';
import type { Failure } from '../../../../model/failure.ts';
import { isWorkloadKind } from '../../../../model/objects/podTemplate.ts';
import type { ObjectAct } from '../../../../upgrades/ports/objects.ts';
import { changeFault } from '../../faults/objectFaults.ts';
import { withChanges } from '../../fields/applyFields.ts';
import { isSameObject, pathId } from '../../fields/leaves.ts';
import type { Snapshot } from '../../state/documents.ts';
import { OBJECTS, activeFaults, objectDocument, settingsIn, workloadName } from '../../state/documents.ts';
import { objectMsOf, rolloutMsOf } from '../../state/durations.ts';
import { imagesMatch } from '../../state/images.ts';
import type { InjectedFault } from '../../state/injectedFault.ts';
import type { ObjectChange, ObjectState } from '../../state/objectState.ts';
import { isReverted } from '../../state/objectState.ts';
import type { BeginResult } from '../beginResult.ts';
import { UNCHANGED, countStrike, refused, started } from '../beginResult.ts';
import { begunAt } from '../startRollout.ts';
import { DEFINITION, needsDefinition } from './definitionsServed.ts';
import type { FoundObject } from './findObject.ts';
import { findObject, findingContext } from './findObject.ts';
import type { PresentObject } from './presentObject.ts';
import { kindIn } from './presentObject.ts';
import { isUnstruck, needsRollout, rollOut } from './rollOut.ts';

/** Names the documents that an act on an object reads. A definition is read with the objects of its kind, and the other way around. */
export function documentsOfObject(object: string): readonly string[] {
  if (kindIn(object) === DEFINITION) return [OBJECTS];
  return [
    objectDocument(object),
    ...(isWorkloadKind(kindIn(object)) ? [workloadName(object)] : []),
    ...(needsDefinition(object) ? [`${OBJECTS}${DEFINITION}/`] : []),
  ];
}

function isAsWanted({ finding, present: { workload } }: FoundObject, { images }: ObjectAct): boolean {
  if (finding.kind === 'absent') return true;
  const isRolledOut =
    workload === undefined || (imagesMatch(workload.desired, images) && workload.observation.state !== 'failed');
  return finding.kind === 'unchanged' && isRolledOut;
}

/** What is as wanted belongs to Steward from now on, with the fields of the content. */
function taken({ present, target }: FoundObject, { now }: Snapshot): BeginResult {
  const { name, state, recorded, live } = present;
  if (target === undefined || live === undefined) return state ? { ...UNCHANGED, begun: begunAt(state) } : UNCHANGED;
  const change = state?.change;
  const next: ObjectState = {
    live,
    ...recorded,
    name,
    generation: state?.generation ?? 0,
    content: target,
    isOurs: true,
    ...(change && !isReverted(change, now) && { change }),
  };
  const isTaken = recorded.isOurs && isSameObject(recorded.content, target);
  return { ...(isTaken ? UNCHANGED : started([[objectDocument(name), next]])), begun: begunAt(next) };
}

function changedSince({ name, live, changedBy }: PresentObject, expected: JsonObject | undefined): Failure {
  const done = live === undefined ? 'removed' : expected === undefined ? 'created' : 'changed';
  return {
    reason: `The simulated object \`${name}\` was ${done}${changedBy === undefined ? '' : ` by \`${changedBy}\``} since the plan.`,
    lines: [],
    advice: 'Plan again, and start the upgrade with the new plan.',
  };
}

/** Why the act is refused, and the fault that refuses it. */
function refusalOf({ finding, present, fault }: FoundObject, act: ObjectAct): BeginResult | undefined {
  const [problem] = finding.problems;
  if (problem !== undefined) {
    const { kind: _, ...failure } = problem;
    return refused({ ...failure, lines: [] }, countStrike(fault));
  }
  if (finding.kind === 'keep')
    return refused({
      reason: `The simulated object \`${act.object}\` must not be removed: ${finding.kept}.`,
      lines: [],
      advice: 'Remove it by hand if it is not needed.',
    });
  // What is as wanted already, but has failed, is applied again.
  if (act.expected === 'any' || finding.kind === 'unchanged') return undefined;
  return isSameObject(finding.former, act.expected) ? undefined : refused(changedSince(present, act.expected));
}

function startedChange(
  { recorded }: PresentObject,
  kind: ObjectChange['kind'],
  durationMs: number,
  fault: InjectedFault | undefined,
  now: number,
): ObjectChange {
  const copy = fault && { id: fault.id, kind: fault.kind, seconds: fault.seconds };
  const former = fault?.kind === 'objectReverted' && { former: recorded };
  return { kind, begun: now, durationMs, ...(copy && { fault: copy }), ...former };
}

function applied(found: FoundObject, target: JsonObject, act: ObjectAct, snapshot: Snapshot): BeginResult {
  const { present, changes } = found;
  const { name, state, recorded, workload } = present;
  const { now } = snapshot;
  const settings = settingsIn(snapshot.documents);
  const live = withChanges(present.live ?? {}, changes);
  const rollout = needsRollout(target, workload, changes, act.images)
    ? rollOut(act, live, workload, snapshot)
    : undefined;
  const fault = rollout ? rollout.fault : changeFault(activeFaults(snapshot), name, isUnstruck(act));
  const durationMs = rollout ? rolloutMsOf(name, settings) : objectMsOf(name, settings);
  const changed = new Set(changes.map(({ path }) => pathId(path)));
  const next: ObjectState = {
    name,
    generation: (state?.generation ?? 0) + 1,
    live,
    content: target,
    owners: recorded.owners.map((owner) => ({ ...owner, fields: owner.fields.filter((id) => !changed.has(id)) })),
    isOurs: true,
    change: { ...startedChange(present, 'apply', durationMs, fault, now), ...(rollout && { isRollout: true }) },
  };
  const writes = [[objectDocument(name), next], ...countStrike(fault), ...(rollout?.result.changes ?? [])] as const;
  return { ...started(writes), begun: begunAt(next) };
}

function removed({ present }: FoundObject, act: ObjectAct, snapshot: Snapshot): BeginResult {
  const { name, state, workload } = present;
  const found = changeFault(activeFaults(snapshot), name, isUnstruck(act));
  // Another controller does not bring back a workload.
  const fault = workload && found?.kind === 'objectReverted' ? undefined : found;
  const durationMs = objectMsOf(name, settingsIn(snapshot.documents));
  const next: ObjectState = {
    name,
    generation: (state?.generation ?? 0) + 1,
    owners: [],
    isOurs: false,
    change: startedChange(present, 'removal', durationMs, fault, snapshot.now),
  };
  const writes: (readonly [string, unknown])[] = [[objectDocument(name), next], ...countStrike(fault)];
  if (workload !== undefined) writes.push([workloadName(name), undefined]);
  return { ...started(writes), begun: begunAt(next) };
}

/** Applies or removes an object. */
export function beginObject(act: ObjectAct, snapshot: Snapshot): BeginResult {
  const as = { isUndo: act.isUndo === true, isStruck: !isUnstruck(act) };
  const found = findObject(act, findingContext(snapshot, [act]), as);
  if (isAsWanted(found, act)) return taken(found, snapshot);
  const refusal = refusalOf(found, act);
  if (refusal !== undefined) return refusal;
  return found.target === undefined ? removed(found, act, snapshot) : applied(found, found.target, act, snapshot);
}

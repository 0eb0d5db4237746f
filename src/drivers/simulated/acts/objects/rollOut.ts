import type { JsonObject } from '../../../../foundation/schema/json.ts';
import { valueAt } from '../../../../foundation/schema/json.ts';
import { isHook } from '../../../../model/objects/objectMarks.ts';
import { containersOf, templatePath } from '../../../../model/objects/podTemplate.ts';
import type { Image } from '../../../../model/workload.ts';
import type { ObjectAct } from '../../../../upgrades/ports/objects.ts';
import { changeFault } from '../../faults/objectFaults.ts';
import type { LeafChange } from '../../fields/applyFields.ts';
import type { Snapshot, WorkloadState } from '../../state/documents.ts';
import { activeFaults } from '../../state/documents.ts';
import { imagesMatch, pinnedDigest } from '../../state/images.ts';
import type { InjectedFault } from '../../state/injectedFault.ts';
import { rolloutFault } from '../../state/injectedFault.ts';
import { replicasOf } from '../../state/seed.ts';
import type { BeginResult } from '../beginResult.ts';
import { startRollout } from '../startRollout.ts';
import { placeOf } from './findObject.ts';
import type { PresentWorkload } from './presentObject.ts';

const RESTARTED_BY: readonly (readonly string[])[] = [
  ['spec', 'replicas'],
  ['spec', 'jobTemplate'],
  ['spec', 'template'],
];

/** Whether the pods of a workload are replaced, or become more or fewer. */
export function needsRollout(
  target: JsonObject,
  workload: PresentWorkload | undefined,
  changes: readonly LeafChange[],
  images: readonly Image[],
): boolean {
  if (templatePath(target) === undefined || isHook(target)) return false;
  return (
    workload === undefined ||
    workload.observation.state === 'failed' ||
    !imagesMatch(workload.desired, images) ||
    changes.some(({ path }) => RESTARTED_BY.some((parts) => parts.every((part, n) => path[n] === part)))
  );
}

function desiredImages(live: JsonObject, images: readonly Image[], workload: PresentWorkload | undefined) {
  const known = [...images, ...(workload?.desired ?? [])];
  return containersOf(live).map(
    ({ container, image }): Image =>
      known.find((one) => one.container === container && one.image === image) ?? {
        container,
        image,
        checksum: pinnedDigest(image),
      },
  );
}

/** Whether faults leave an act alone: it undoes a job that has failed. A job that takes back an earlier one is struck. */
export function isUnstruck({ isUndo, expected }: ObjectAct): boolean {
  return isUndo === true && expected === 'any';
}

/** Of the faults that could strike, the oldest does. */
function strikingFault(snapshot: Snapshot, object: string, isUndo: boolean): InjectedFault | undefined {
  const active = activeFaults(snapshot);
  const faults = [rolloutFault(active, object, isUndo), changeFault(active, object, isUndo)];
  return faults.flatMap((fault) => fault ?? []).toSorted((one, other) => one.order - other.order)[0];
}

export interface ObjectRollout {
  readonly result: BeginResult;
  readonly fault: InjectedFault | undefined;
}

/** Starts the rollout of a workload that was changed, or of a new one. */
export function rollOut(
  act: ObjectAct,
  live: JsonObject,
  workload: PresentWorkload | undefined,
  snapshot: Snapshot,
): ObjectRollout {
  const { object, images } = act;
  const place = placeOf(live);
  const replicas = valueAt(live, 'spec', 'replicas');
  const kept: WorkloadState = workload?.state ?? {
    name: object,
    component: object,
    module: object,
    wave: 0,
    isSteward: false,
    managers: [],
    replicas: replicasOf(object),
    generation: 0,
    desired: [],
    previous: [],
  };
  const state = { ...kept, ...place, ...(typeof replicas === 'number' && { replicas: Math.max(1, replicas) }) };
  const desired = desiredImages(live, images, workload);
  const fault = strikingFault(snapshot, object, isUnstruck(act));
  return { fault, result: startRollout(state, { desired, running: workload?.running ?? [] }, fault, snapshot) };
}

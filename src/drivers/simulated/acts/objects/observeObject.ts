import type { Failure } from '../../../../model/failure.ts';
import type { Observation } from '../../../../upgrades/ports/deployment.ts';
import type { ObjectAct } from '../../../../upgrades/ports/objects.ts';
import type { Snapshot } from '../../state/documents.ts';
import { imagesMatch } from '../../state/images.ts';
import { OTHER_MANAGER, faultRemedy } from '../../state/injectedFault.ts';
import type { ObjectChange } from '../../state/objectState.ts';
import { isHidden, isNeverReady, isOver } from '../../state/objectState.ts';
import { DEFINITION } from './definitionsServed.ts';
import { changesTo } from './findObject.ts';
import type { PresentObject } from './presentObject.ts';
import { kindIn, presentObject } from './presentObject.ts';
import { wantedContent } from './wantedContent.ts';

const DONE: Observation = { state: 'done', lines: [] };

/** Its former images, or all of its fields, may have been restored by another controller. */
function absent({ state, workload, changedBy }: PresentObject): Observation {
  const fault = [state?.change?.fault, workload?.state.rollout?.fault].find(
    (one) => one?.kind === 'objectReverted' || one?.kind === 'putBack',
  );
  if (fault !== undefined)
    return { state: 'absent', changedBy: changedBy ?? OTHER_MANAGER.name, remedy: faultRemedy(fault.id) };
  return { state: 'absent', ...(changedBy !== undefined && { changedBy }) };
}

function detailOf(object: string, { kind }: ObjectChange): string {
  if (kind === 'removal') return 'it is being removed';
  return kindIn(object) === DEFINITION ? 'the definition is being established' : 'it is applied, and not ready yet';
}

function troubleOf(object: string, { kind, fault }: ObjectChange): Failure {
  return {
    reason:
      kind === 'removal'
        ? `The simulated object \`${object}\` is not removed: its finalizer \`demo.invalid/cleanup\` is still there.`
        : `The simulated object \`${object}\` was applied, but does not become ready: its condition Ready is False.`,
    lines: [],
    ...faultRemedy(fault?.id ?? '', `Find out what keeps \`${object}\` from being ready.`),
  };
}

function running(object: string, change: ObjectChange): Observation {
  const trouble = isNeverReady(change) ? { trouble: troubleOf(object, change) } : {};
  return { state: 'running', detail: detailOf(object, change), movedAt: change.begun, ...trouble };
}

function readiness({ name, state, workload }: PresentObject, now: number): Observation {
  const { change } = state ?? {};
  if (change !== undefined && change.isRollout !== true && !isOver(change, now)) return running(name, change);
  return workload?.observation ?? DONE;
}

function observeRemoval(present: PresentObject, now: number): Observation {
  if (present.live !== undefined) return absent(present);
  const { change } = present.state ?? {};
  return change?.kind === 'removal' && !isOver(change, now) ? running(present.name, change) : DONE;
}

/** Tells whether an object is as wanted, and ready. */
export function observeObject(
  act: ObjectAct & { readonly receipt?: string | undefined },
  { documents, now }: Snapshot,
  stale: Observation,
): Observation {
  const present = presentObject(documents, act.object, now);
  const { live, state, workload } = present;
  if (state?.change !== undefined && isHidden(state.change, now))
    return act.receipt === undefined ? { state: 'absent' } : stale;
  const target = wantedContent(act, live, act.isUndo === true);
  if (target === undefined) return observeRemoval(present, now);
  const isAsWanted =
    live !== undefined &&
    changesTo(act, present, live, target).length === 0 &&
    imagesMatch(workload?.desired ?? act.images, act.images);
  return isAsWanted ? readiness(present, now) : absent(present);
}

// What an injected fault does to an act on an object: it refuses the act, or strikes the change that the act begins.
import type { Manager } from '../../../model/workload.ts';
import type { ObjectProblem } from '../../../upgrades/ports/objects.ts';
import type { FaultKind, InjectedFault } from '../state/injectedFault.ts';
import { OTHER_MANAGER, affectsWorkload, faultRemedy } from '../state/injectedFault.ts';

/** A problem with the fault that causes it, if one does. */
export interface FoundProblem {
  readonly problem: ObjectProblem;
  readonly fault?: InjectedFault | undefined;
}

interface RefusalRow {
  readonly kind: 'refused' | 'quota';
  readonly refusesRemoval: boolean;
  texts(object: string): { readonly reason: string; readonly advice: string };
}

const REFUSALS: Partial<Readonly<Record<FaultKind, RefusalRow>>> = {
  objectRefused: {
    kind: 'refused',
    refusesRemoval: true,
    texts: (object) => ({
      reason: `The simulated admission webhook \`policy.demo.invalid\` refuses the change of \`${object}\`.`,
      advice: `Ask the administrator of the cluster to allow the change of \`${object}\`.`,
    }),
  },
  objectQuota: {
    kind: 'quota',
    refusesRemoval: false,
    texts: (object) => ({
      reason: `The simulated object \`${object}\` would exceed the quota of the namespace \`demo\`.`,
      advice: 'Raise the quota of the namespace `demo`.',
    }),
  },
};

/** The problem of the oldest fault that refuses a change. */
export function refusalOf(
  active: readonly InjectedFault[],
  object: string,
  isRemoval: boolean,
): FoundProblem | undefined {
  for (const fault of active) {
    const row = affectsWorkload(fault, object) ? REFUSALS[fault.kind] : undefined;
    if (row === undefined || (isRemoval && !row.refusesRemoval)) continue;
    const { reason, advice } = row.texts(object);
    return { fault, problem: { kind: row.kind, reason, ...faultRemedy(fault.id, advice) } };
  }
  return undefined;
}

/** Another manager of an object. Without `fields` it has all of them. */
export interface Owner extends Manager {
  readonly fields?: ReadonlySet<string>;
  readonly fault?: InjectedFault;
}

/** The managers that faults add to an object that exists. */
export function contendersOf(
  active: readonly InjectedFault[],
  object: string,
  imageFields: ReadonlySet<string>,
): readonly Owner[] {
  return active
    .filter((fault) => affectsWorkload(fault, object))
    .flatMap((fault): readonly Owner[] => {
      const owner = { ...OTHER_MANAGER, remedy: faultRemedy(fault.id), fault };
      if (fault.kind === 'objectConflict') return [owner];
      return fault.kind === 'conflict' && imageFields.size > 0 ? [{ ...owner, fields: imageFields }] : [];
    });
}

const STRIKES: ReadonlySet<FaultKind> = new Set(['lag', 'slow', 'objectNeverReady', 'objectReverted'] as const);

/** The fault that strikes a change of an object, apart from those of rollouts. An undo is not struck. */
export function changeFault(
  active: readonly InjectedFault[],
  object: string,
  isUndo: boolean,
): InjectedFault | undefined {
  return isUndo ? undefined : active.find((fault) => STRIKES.has(fault.kind) && affectsWorkload(fault, object));
}

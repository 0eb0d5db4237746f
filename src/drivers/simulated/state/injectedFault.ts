// The faults that can be injected into a simulated deployment: their kinds, when each is used up, and which one
// strikes a given act. `faultInjection.ts` adds and removes them; the acts ask here before they begin.

import { SECOND } from '../../../foundation/clock.ts';
import type { Hook } from '../../../model/hook.ts';
import type { Failure, Remedy } from '../../../model/failure.ts';
import type { NextAction } from '../../../model/nextAction.ts';
import type { DatabasePhase, Manager } from '../../../model/workload.ts';

type FaultField = 'workload' | 'phase' | 'hook' | 'seconds' | 'times';

const WORKLOAD_FIELDS = ['workload', 'times'] as const;

/** Every kind of fault, with the fields that apply to it. */
export const FAULT_KINDS = {
  imageAbsent: WORKLOAD_FIELDS,
  imageUnpullable: WORKLOAD_FIELDS,
  checksumDiffers: WORKLOAD_FIELDS,
  crashLoop: WORKLOAD_FIELDS,
  slow: WORKLOAD_FIELDS,
  nodeLost: ['workload', 'seconds', 'times'],
  conflict: WORKLOAD_FIELDS,
  putBack: WORKLOAD_FIELDS,
  heals: ['workload', 'seconds', 'times'],
  lag: ['workload', 'seconds', 'times'],
  databaseDown: ['phase', 'times'],
  hookFails: ['hook', 'times'],
  apiErrors: ['seconds'],
  apiHangs: ['seconds'],
  forbidden: [],
  diskFull: [],
  quota: [],
  objectConflict: WORKLOAD_FIELDS,
  objectRefused: WORKLOAD_FIELDS,
  objectNeverReady: WORKLOAD_FIELDS,
  objectQuota: WORKLOAD_FIELDS,
  objectReverted: WORKLOAD_FIELDS,
} as const satisfies Record<string, readonly FaultField[]>;

export type FaultKind = keyof typeof FAULT_KINDS;

export interface NewFault {
  readonly kind: FaultKind;
  /** A workload, or an object of a bundle; undefined for any. */
  readonly workload?: string | undefined;
  readonly phase?: DatabasePhase | undefined;
  /** Undefined for any hook. */
  readonly hook?: Hook | undefined;
  readonly seconds?: number | undefined;
  /** How often it strikes before it is used up; undefined until it is removed. */
  readonly times?: number | undefined;
}

export interface InjectedFault extends NewFault {
  readonly id: string;
  readonly added: number;
  /** Rises with each fault that is added. */
  readonly order: number;
  /** How often it has struck. */
  readonly struck: number;
  /** When an outage of the API was first noticed; it lasts `seconds` from then on. */
  readonly since?: number;
}

/** The field manager that a simulated conflict is with. */
export const OTHER_MANAGER: Manager = { name: 'demo-gitops-controller', reconciles: true };

const DEFAULT_SECONDS = 5;

export function faultDurationMs({ seconds = DEFAULT_SECONDS }: Pick<NewFault, 'seconds'>): number {
  return seconds * SECOND;
}

export function isSpent(fault: InjectedFault, now: number): boolean {
  if (fault.since !== undefined && now >= fault.since + faultDurationMs(fault)) return true;
  return fault.times !== undefined && fault.struck >= fault.times;
}

/** Names each given field that does not apply to the kind of the fault. */
export function inapplicableFields(fault: NewFault): readonly string[] {
  const known: readonly string[] = FAULT_KINDS[fault.kind];
  return Object.entries(fault)
    .filter(([field, value]) => field !== 'kind' && value !== undefined && !known.includes(field))
    .map(([field]) => `${field}: does not apply to ${fault.kind}`);
}

const NEW_IMAGE_FAULTS: ReadonlySet<FaultKind> = new Set([
  'imageAbsent',
  'imageUnpullable',
  'checksumDiffers',
  'crashLoop',
  'slow',
  'putBack',
  'heals',
  'lag',
] as const);

export function affectsWorkload(fault: InjectedFault, workload: string): boolean {
  return fault.workload === undefined || fault.workload === workload;
}

/** A rollback is struck by a lost node only: its images ran before, so they are known to work. */
export function rolloutFault(
  active: readonly InjectedFault[],
  workload: string,
  isRollback: boolean,
): InjectedFault | undefined {
  return active.find(
    (fault) =>
      (fault.kind === 'nodeLost' || (NEW_IMAGE_FAULTS.has(fault.kind) && !isRollback)) &&
      affectsWorkload(fault, workload),
  );
}

export function conflictFault(active: readonly InjectedFault[], workload: string): InjectedFault | undefined {
  return active.find((fault) => fault.kind === 'conflict' && affectsWorkload(fault, workload));
}

function removalText(id: string): string {
  return `This fault is simulated: remove it with POST demo/faults/remove and id=${id}.`;
}

/** A failure without the advice to remove faults that are not there any more. */
export function withoutRemoved(failure: Failure, present: readonly InjectedFault[]): Failure {
  const ids = new Set(present.map(({ id }) => id));
  const { nextActions = [] } = failure;
  const removed = nextActions.flatMap((one) =>
    one.action === 'removeFault' && !ids.has(one.parameters.fault) ? [one.parameters.fault] : [],
  );
  const advice = removed.reduce((text, id) => text.replaceAll(removalText(id), ''), failure.advice);
  const isDone = ({ action, parameters }: NextAction): boolean =>
    action === 'removeFault' && removed.includes(parameters.fault);
  return removed.length === 0
    ? failure
    : {
        ...failure,
        advice: advice.replaceAll(/ {2,}/g, ' ').trim() || 'The simulated fault that caused this was removed.',
        nextActions: nextActions.filter((one) => !isDone(one)),
      };
}

/** What a person can do about an injected fault, after what would help in a real deployment. */
export function faultRemedy(id: string, advice = ''): Remedy {
  const removal = removalText(id);
  return {
    advice: advice === '' ? removal : `${advice} ${removal}`,
    nextActions: [{ action: 'removeFault', parameters: { fault: id } }],
  };
}

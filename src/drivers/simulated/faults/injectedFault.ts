import { SECOND } from '../../../foundation/clock.ts';
import type { Hook } from '../../../model/hook.ts';
import type { DatabasePhase } from '../../../model/workload.ts';

type FaultField = 'workload' | 'phase' | 'hook' | 'seconds' | 'times';

const WORKLOAD_FIELDS = ['workload', 'times'] as const;

/** Every kind of fault, and what can be said of it. */
export const FAULT_KINDS = {
  imageAbsent: WORKLOAD_FIELDS,
  imageUnpullable: WORKLOAD_FIELDS,
  checksumDiffers: WORKLOAD_FIELDS,
  crashLoop: WORKLOAD_FIELDS,
  slow: WORKLOAD_FIELDS,
  nodeLost: ['workload', 'seconds', 'times'],
  conflict: WORKLOAD_FIELDS,
  putBack: WORKLOAD_FIELDS,
  databaseDown: ['phase', 'times'],
  hookFails: ['hook', 'times'],
  apiErrors: ['seconds'],
  diskFull: [],
  quota: [],
} as const satisfies Record<string, readonly FaultField[]>;

export type FaultKind = keyof typeof FAULT_KINDS;

export interface NewFault {
  readonly kind: FaultKind;
  /** Only this one; each where it is left out. */
  readonly workload?: string | undefined;
  readonly phase?: DatabasePhase | undefined;
  readonly hook?: Hook | undefined;
  readonly seconds?: number | undefined;
  /** How often it strikes before it is used up; until it is removed where it is left out. */
  readonly times?: number | undefined;
}

export interface InjectedFault extends NewFault {
  readonly id: string;
  readonly added: number;
  /** The later it was put in, the higher. */
  readonly order: number;
  readonly struck: number;
  /** When it struck first, of one that lasts for a time. */
  readonly since?: number;
}

/** The manager that a simulated conflict is with. */
export const OTHER_MANAGER = 'demo-gitops-controller';

const SECONDS_BY_DEFAULT = 5;

export function faultDurationMs({ seconds = SECONDS_BY_DEFAULT }: { readonly seconds?: number | undefined }): number {
  return seconds * SECOND;
}

export function isSpent(fault: InjectedFault, now: number): boolean {
  if (fault.since !== undefined && now >= fault.since + faultDurationMs(fault)) return true;
  return fault.times !== undefined && fault.struck >= fault.times;
}

/** Which said fields a fault of this kind does not have. */
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
] as const);

export function affectsWorkload(fault: InjectedFault, workload: string): boolean {
  return fault.workload === undefined || fault.workload === workload;
}

/** What strikes the rollout of a workload. Images that ran before are known to run, so going back to them meets a lost node at most. */
export function rolloutFault(
  faults: readonly InjectedFault[],
  workload: string,
  { now, isGoingBack }: { readonly now: number; readonly isGoingBack: boolean },
): InjectedFault | undefined {
  return faults.find(
    (fault) =>
      (fault.kind === 'nodeLost' || (NEW_IMAGE_FAULTS.has(fault.kind) && !isGoingBack)) &&
      affectsWorkload(fault, workload) &&
      !isSpent(fault, now),
  );
}

export function conflictFault(
  faults: readonly InjectedFault[],
  workload: string,
  now: number,
): InjectedFault | undefined {
  return faults.find((fault) => fault.kind === 'conflict' && affectsWorkload(fault, workload) && !isSpent(fault, now));
}

export function hookFault(faults: readonly InjectedFault[], hook: Hook, now: number): InjectedFault | undefined {
  return faults.find(
    (fault) => fault.kind === 'hookFails' && (fault.hook === undefined || fault.hook === hook) && !isSpent(fault, now),
  );
}

export function phaseFault(
  faults: readonly InjectedFault[],
  phase: DatabasePhase,
  now: number,
): InjectedFault | undefined {
  return faults.find(
    (fault) => fault.kind === 'databaseDown' && (fault.phase ?? 'engine') === phase && !isSpent(fault, now),
  );
}

export function apiFault(faults: readonly InjectedFault[], now: number): InjectedFault | undefined {
  return faults.find((fault) => fault.kind === 'apiErrors' && !isSpent(fault, now));
}

/** How a person ends a fault that was put in. */
export function removalAdvice(id: string): string {
  return `In this simulated deployment remove the fault with a POST to demo/faults/remove with id=${id}; then try again.`;
}

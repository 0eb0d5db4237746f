import type { DocumentMap } from '../../../foundation/documentStore.ts';
import type { Act, Begun, Failure } from '../../../upgrades/ports/deployment.ts';
import type { PutInFault } from '../faults/injectedFault.ts';
import { faultName } from '../state/documents.ts';

/** What a beginning answers, and what it writes. */
export interface Beginning {
  readonly begun: Begun;
  readonly changes: DocumentMap;
}

export type ActOf<K extends Act['kind']> = Extract<Act, { readonly kind: K }>;

/** The documents of an act, at an instant. */
export interface Moment {
  readonly found: DocumentMap;
  readonly now: number;
}

export const NOTHING: DocumentMap = new Map();
export const UNCHANGED: Beginning = { begun: { kind: 'begun' }, changes: NOTHING };

export function started(changes: DocumentMap): Beginning {
  return { begun: { kind: 'begun' }, changes };
}

export function refused(fault: Failure, changes: DocumentMap = NOTHING): Beginning {
  return { begun: { kind: 'refused', fault }, changes };
}

/** A fault that strikes has struck once more. */
export function counted(fault: PutInFault | undefined): DocumentMap {
  return fault === undefined ? NOTHING : new Map([[faultName(fault.id), { ...fault, struck: fault.struck + 1 }]]);
}

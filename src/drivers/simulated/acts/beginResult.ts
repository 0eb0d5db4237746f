import type { DocumentMap } from '../../../foundation/documentStore.ts';
import type { Failure } from '../../../model/failure.ts';
import type { Act, Begun } from '../../../upgrades/ports/deployment.ts';
import type { InjectedFault } from '../state/injectedFault.ts';
import { faultName } from '../state/documents.ts';

/** The answer to the caller, and the documents to write. */
export interface BeginResult {
  readonly begun: Begun;
  readonly changes: DocumentMap;
}

export type ActOf<K extends Act['kind']> = Extract<Act, { readonly kind: K }>;

export const NO_CHANGES: DocumentMap = new Map();
export const UNCHANGED: BeginResult = { begun: { kind: 'begun' }, changes: NO_CHANGES };

export function started(changes: Iterable<readonly [string, unknown]>): BeginResult {
  return { begun: { kind: 'begun' }, changes: new Map(changes) };
}

export function refused(failure: Failure, changes: DocumentMap = NO_CHANGES): BeginResult {
  return { begun: { kind: 'refused', failure }, changes };
}

/** Counts that a fault has struck once more. */
export function countStrike(fault: InjectedFault | undefined): DocumentMap {
  return fault === undefined ? NO_CHANGES : new Map([[faultName(fault.id), { ...fault, struck: fault.struck + 1 }]]);
}

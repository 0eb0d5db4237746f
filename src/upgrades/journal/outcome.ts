import type { Outcome } from './entry.ts';

/** Whether a job that failed has found no database instance that accepts writes. */
export function leavesNoWriter(outcome: Outcome): boolean {
  return 'found' in outcome && !outcome.found.acceptsWrites;
}

/**
 *   running ⇄ paused
 *      │         │
 *      ├─────────┴──▶ undoing ──▶ undone
 *      │                 └──────▶ failed
 *      ├──▶ succeeded
 *      ├──▶ cancelled
 *      └──▶ failed ──▶ running or undoing, where its kind can try again
 */
export type JobState = 'running' | 'paused' | 'undoing' | 'succeeded' | 'failed' | 'cancelled' | 'undone';

export const NEXT_STATES = {
  running: ['paused', 'undoing', 'succeeded', 'failed', 'cancelled'],
  paused: ['running', 'undoing'],
  undoing: ['undone', 'failed'],
  failed: ['running', 'undoing'],
  succeeded: [],
  cancelled: [],
  undone: [],
} as const satisfies Record<JobState, readonly JobState[]>;

/** States of a job that has not ended. */
export const ACTIVE_STATES: readonly JobState[] = ['running', 'paused', 'undoing'];

/** States of a job that a runner works on. */
export const WORKED_STATES: readonly JobState[] = ['running', 'undoing'];

export function isActive(state: JobState): boolean {
  return ACTIVE_STATES.includes(state);
}

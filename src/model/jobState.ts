/**
 *   running ⇄ paused
 *      │         │
 *      ├─────────┴──▶ undoing ──▶ undone
 *      │                 └──────▶ failed
 *      ├──▶ succeeded
 *      ├──▶ cancelled
 *      └──▶ failed ──▶ running or undoing, if its kind can be retried
 *
 * The store enforces the arrows (`NEXT_STATES`) in the transaction that changes a state.
 */
export const JOB_STATES = ['running', 'paused', 'undoing', 'succeeded', 'failed', 'cancelled', 'undone'] as const;
export type JobState = (typeof JOB_STATES)[number];

const NEXT_STATES = {
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

/** Whether the state diagram has an arrow between two states. */
export function canBecome(from: JobState, to: JobState): boolean {
  const next: readonly JobState[] = NEXT_STATES[from];
  return next.includes(to);
}

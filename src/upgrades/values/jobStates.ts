import type { JobState } from '../../model/jobState.ts';

/** The states of a job in the words and codes of the interface. */
const SHOWN_STATES = {
  running: { state: 'in_progress', code: 1 },
  failed: { state: 'failed', code: 2 },
  succeeded: { state: 'success', code: 3 },
  paused: { state: 'paused', code: 4 },
  undoing: { state: 'rolling_back', code: 5 },
  undone: { state: 'rolled_back', code: 6 },
  // An upgrade never ends in this state: a cancelled one is undone.
  cancelled: { state: 'rolled_back', code: 6 },
} as const satisfies Record<JobState, { readonly state: string; readonly code: number }>;

export function shownState(state: JobState): (typeof SHOWN_STATES)[JobState] {
  return SHOWN_STATES[state];
}

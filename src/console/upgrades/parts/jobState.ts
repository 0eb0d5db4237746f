import type { Tone } from '../../parts/text/tone.ts';
import type { IconName } from '../../parts/text/Icon.tsx';

interface ShownState {
  readonly text: string;
  readonly tone: Tone;
  readonly icon?: IconName;
}

const STATES: Readonly<Record<string, ShownState>> = {
  no_upgrade: { text: 'No upgrade', tone: 'calm' },
  in_progress: { text: 'In progress', tone: 'busy' },
  paused: { text: 'Paused', tone: 'warn', icon: 'pause' },
  rolling_back: { text: 'Rolling back', tone: 'busy', icon: 'undo' },
  rolled_back: { text: 'Rolled back', tone: 'warn', icon: 'undo' },
  failed: { text: 'Failed', tone: 'bad' },
  success: { text: 'Succeeded', tone: 'good' },
};
const REASONS: Readonly<Record<string, string>> = {
  checksFailed: 'checks failed',
  cancelled: 'cancelled',
};
const ACTIVE: ReadonlySet<string> = new Set(['in_progress', 'paused', 'rolling_back']);

/** Whether a job still has work to do. */
export function isActive(state: string): boolean {
  return ACTIVE.has(state);
}

/** What a job does. */
export function kindName(kind: string): string {
  return kind === 'rollback' ? 'Rollback' : 'Upgrade';
}

/** A job that has left something out has not simply succeeded. */
export function shownState(state: string, reason: string | null, isIncomplete = false): ShownState {
  if (isIncomplete) return { text: 'Succeeded, not complete', tone: 'warn', icon: 'warning' };
  const shown = STATES[state] ?? { text: state, tone: 'calm' };
  const why = reason === null ? undefined : REASONS[reason];
  return why === undefined ? shown : { ...shown, text: `${shown.text}: ${why}` };
}

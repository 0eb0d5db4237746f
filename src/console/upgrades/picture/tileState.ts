import type { IconName } from '../../parts/text/Icon.tsx';
import type { DeployedWorkload } from '../answers.ts';

/** What a tile shows, in words and with an icon. */
export const TILE_STATES = {
  installed: { text: 'Installed', icon: 'check' },
  updating: { text: 'Updating', icon: 'spin' },
  next: { text: 'Updated', icon: 'upgrade' },
  drifted: { text: 'Drifted', icon: 'warning' },
  trouble: { text: 'Unhealthy', icon: 'cross' },
  unnamed: { text: 'Not in the version', icon: 'dot' },
} as const satisfies Readonly<Record<string, { readonly text: string; readonly icon: IconName }>>;

export type TileState = keyof typeof TILE_STATES;

export function tileState({ runs, rollout, trouble }: DeployedWorkload): TileState {
  if (rollout !== null) return 'updating';
  if (trouble !== null) return 'trouble';
  if (runs === 'next' || runs === 'installed' || runs === 'unnamed') return runs;
  return 'drifted';
}

const ORDER: readonly TileState[] = ['installed', 'updating', 'next', 'drifted', 'trouble', 'unnamed'];

/** How many workloads have each state; states without a workload are left out. */
export function countStates(workloads: readonly DeployedWorkload[]): ReadonlyMap<TileState, number> {
  const states = workloads.map(tileState);
  const count = (wanted: TileState): number => states.filter((state) => state === wanted).length;
  return new Map(ORDER.map((state) => [state, count(state)] as const).filter(([, found]) => found > 0));
}

import { StateLabel } from '../../parts/text/StateLabel.tsx';
import { shownState } from './jobState.ts';

export function JobStateLabel({ state, reason }: { readonly state: string; readonly reason: string | null }) {
  return <StateLabel {...shownState(state, reason)} />;
}

import { StateLabel } from '../../parts/text/StateLabel.tsx';
import { shownState } from './jobState.ts';

export interface JobStateLabelProps {
  readonly job: {
    readonly state: string;
    readonly reason?: string | null;
    readonly incomplete?: readonly string[];
  };
}

export function JobStateLabel({ job: { state, reason = null, incomplete } }: JobStateLabelProps) {
  return <StateLabel {...shownState(state, reason, incomplete !== undefined)} />;
}

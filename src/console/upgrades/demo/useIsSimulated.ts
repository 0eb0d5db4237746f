import { useResource } from '../../api/queries.ts';
import type { DeploymentState } from '../answers.ts';

/** Whether upgrades change nothing real. */
export function useIsSimulated(): boolean {
  return useResource<DeploymentState>('/system/deployment').data?.simulated === true;
}

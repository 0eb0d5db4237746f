import { api } from '../../api/operations.ts';
import { useResource } from '../../api/queries.ts';

/** Whether upgrades change nothing real. */
export function useIsSimulated(): boolean {
  return useResource(api.system.deployment).data?.simulated === true;
}

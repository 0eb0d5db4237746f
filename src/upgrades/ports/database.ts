import type { Inventory } from '../../model/workload.ts';
import type { Begun, DatabaseAct, Observation } from './deployment.ts';

/** The database of a deployment. It has its own driver, because it need not run where the workloads run. */
export interface Database {
  describe(signal?: AbortSignal): Promise<DatabaseDescription | undefined>;
  /** As in `Deployment`. */
  takeOver(fence: number, signal?: AbortSignal): Promise<void>;
  begin(act: DatabaseAct, fence: number, signal?: AbortSignal): Promise<Begun>;
  observe(acts: readonly DatabaseAct[], signal?: AbortSignal): Promise<readonly Observation[]>;
}

export type DatabaseDescription = NonNullable<Inventory['database']> & Pick<Inventory, 'expectedMs'>;

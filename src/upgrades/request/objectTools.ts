import type { Sealer } from '../../foundation/sealer.ts';
import type { JobStore } from '../../jobs/jobStore.ts';
import { readState } from '../journal/runState.ts';
import { createBundles } from '../objects/bundles.ts';
import type { ObjectTools } from '../plan/objects/objectTools.ts';
import { createObjectContents } from '../plan/objects/objectTools.ts';
import type { Deployment } from '../ports/deployment.ts';
import type { UpgradeStore } from '../ports/upgradeStore.ts';

export interface ObjectToolsDependencies {
  readonly store: UpgradeStore;
  readonly jobs: JobStore;
  readonly sealer: Sealer;
  /** Where the objects of the deployment are; undefined if it has no namespaces. */
  readonly namespace: string | undefined;
  /** The kinds outside namespaces that objects may have. */
  readonly clusterKinds: ReadonlySet<string>;
}

/** Creates what plans and jobs need to work with objects. */
export function createObjectTools(
  { store, jobs, sealer, namespace, clusterKinds }: ObjectToolsDependencies,
  deployment: Deployment | undefined,
): ObjectTools {
  return {
    bundles: createBundles({ store, deployment, namespace, clusterKinds }),
    contents: createObjectContents(store, sealer),
    async planOf(id) {
      const job = await jobs.job(id);
      return job && readState(job, await jobs.journal(id)).plan;
    },
  };
}

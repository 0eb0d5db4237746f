import type { RunState } from '../journal/runState.ts';
import type { Planner } from './planner.ts';
import type { Facts } from '../ports/upgradeStore.ts';
import type { RequestContext, UpgradeRequest } from './upgradeRequest.ts';
import { findVersion, refuseOtherSettings, specifyUpgrade } from './upgradeRequest.ts';

/** Throws if a retry would not do what the request says. */
export async function checkRetry(
  planner: Planner,
  failed: RunState,
  request: UpgradeRequest,
  { facts, context }: { readonly facts: Facts; readonly context: RequestContext },
): Promise<void> {
  if (request.planHash !== undefined)
    await planner.refuseStalePlan(await planner.plan(specifyUpgrade(facts, request, context)));
  else if (
    request.settings !== undefined ||
    request.licence !== undefined ||
    request.withoutRestorePoint ||
    request.acknowledge !== undefined
  )
    refuseOtherSettings(failed, request, findVersion(facts, request.versionId, request.manifest.versions), context);
}

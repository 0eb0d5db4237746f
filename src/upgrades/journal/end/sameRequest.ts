import type { NextAction, UpgradeParameters } from '../../../model/nextAction.ts';
import type { RunState } from '../runState.ts';
import { ROLLBACK } from '../../ports/upgradeStore.ts';
import type { JobSpec } from '../../values/task.ts';

/** A request, to be sent again. The version that was installed last tells whether it was the latest patch. */
export function requestOf({ task, targets }: Pick<JobSpec, 'task' | 'targets'>): UpgradeParameters {
  const { versionId: versionManifest, licenceUpload, volumes, isRestorePointWaived, afterFailure, acknowledged } = task;
  const isRelease = targets.some(({ update }) => update === 'release');
  const isLatestPatch = (targets.at(-1)?.version?.id ?? versionManifest) !== versionManifest;
  const userInputs = [
    ...(isRelease || isLatestPatch ? [{ id: 'updateToLatestPatch', value: isLatestPatch }] : []),
    ...(licenceUpload === undefined ? [] : [{ id: 'licenseUpload', value: licenceUpload }]),
    ...(Object.keys(volumes).length === 0 ? [] : [{ id: 'volumesConfig', value: volumes }]),
  ];
  return {
    versionManifest,
    ...(userInputs.length > 0 && { upgradeSettings: { userInputs } }),
    ...(isRestorePointWaived && { withoutRestorePoint: true }),
    ...(afterFailure !== undefined && { afterFailure }),
    ...(acknowledged !== undefined && acknowledged.length > 0 && { acknowledge: acknowledged }),
  };
}

/** The request of a job. */
export function sameRequest({ job: { task }, targets }: RunState): UpgradeParameters {
  return requestOf({ task, targets });
}

/** What starts a job like this one again. A rollback has no settings and no plan. */
export function startAgain(state: RunState): readonly NextAction[] {
  const parameters = sameRequest(state);
  const { versionManifest } = parameters;
  if (state.job.kind === ROLLBACK) return [{ action: 'rollback', parameters: { versionManifest } }];
  return [
    { action: 'planAgain', parameters },
    { action: 'startAgain', parameters },
  ];
}

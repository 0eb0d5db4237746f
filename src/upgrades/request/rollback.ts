import { StewardError } from '../../foundation/errors.ts';
import { isActive } from '../../model/jobState.ts';
import { versionNumberOf } from '../../model/version.ts';
import type { Facts, Installed } from '../ports/upgradeStore.ts';
import type { JobSpec } from '../task.ts';
import { failedJob } from '../versions/currentVersion.ts';
import { ownershipProblem } from '../versions/ownership.ts';

/** The patch that can be rolled back: the last installed version, if it is a patch whose previous images are known. */
export function removablePatch(facts: Facts): Installed | undefined {
  const { latest } = facts;
  const last = facts.installed.at(-1);
  const isBusy = latest !== undefined && (isActive(latest.state) || failedJob(facts) !== undefined);
  const isPatch = last?.version.update === 'patch' && last.how === 'upgrade' && last.before.length > 0;
  return isPatch && !isBusy ? last : undefined;
}

function refusal(facts: Facts, versionId: string, candidate: Installed | undefined): StewardError {
  const last = facts.installed.at(-1);
  const isRelease = last?.version.id === versionId && last.version.update === 'release';
  const instead =
    candidate === undefined
      ? 'No patch can be rolled back now.'
      : `Only ${candidate.version.id} can, the version that was installed last.`;
  const message = isRelease
    ? `${versionId} is a release, and only a patch can be rolled back. To return from a release, use its restore point.`
    : `${versionId} cannot be rolled back. ${instead}`;
  return new StewardError('conflict', message, {
    details: [`versionManifest: must be a version that checkRollback lists, not "${versionId}"`],
  });
}

/** Turns a request for a rollback into the specification of a job. */
export function specifyRollback(facts: Facts, versionId: string, isSimulated: boolean): JobSpec {
  const failed = failedJob(facts);
  if (failed !== undefined) throw new StewardError('conflict', ownershipProblem(failed));
  const patch = removablePatch(facts);
  if (patch === undefined || patch.version.id !== versionId) throw refusal(facts, versionId, patch);
  return {
    task: {
      versionId,
      from: versionNumberOf(patch.version),
      to: versionNumberOf(facts.installed.at(-2)?.version),
      volumes: {},
      licenceUpload: undefined,
      licenceHash: undefined,
      planHash: undefined,
      expectedPlan: undefined,
      isRestorePointWaived: false,
      isSimulated,
      removes: patch.seq,
    },
    targets: [{ update: 'rollback', version: undefined, replacedBy: undefined, previousImages: patch.before }],
    alreadyDone: new Set(),
    isPastReturn: false,
  };
}

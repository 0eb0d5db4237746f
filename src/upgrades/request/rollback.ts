import { StewardError } from '../../foundation/errors.ts';
import { isActive } from '../../model/jobState.ts';
import { versionNumberOf } from '../../model/version.ts';
import type { Facts, Installed } from '../ports/upgradeStore.ts';
import type { JobSpec } from '../values/task.ts';
import { isPastReturn } from '../values/task.ts';
import { failedJob } from '../versions/currentVersion.ts';
import { ownershipProblem } from '../failure/ownership.ts';

/**
 * The version that can be rolled back: the last installed one, if its previous images are known. The job that installed a release
 * must not have passed a point of no return; a patch has none.
 */
export function removableVersion(facts: Facts): Installed | undefined {
  const { latest } = facts;
  const last = facts.installed.at(-1);
  const isBusy = latest !== undefined && (isActive(latest.state) || failedJob(facts) !== undefined);
  const isKnown = last?.how === 'upgrade' && last.before.length > 0;
  return isKnown && !isBusy && (last.version.update === 'patch' || passedReturn(facts) === false) ? last : undefined;
}

/** Undefined if the job that installed the current version is not known. */
function passedReturn({ installedBy }: Facts): boolean | undefined {
  return installedBy && isPastReturn(installedBy);
}

function refusal(facts: Facts, versionId: string, candidate: Installed | undefined): StewardError {
  const last = facts.installed.at(-1);
  const isFinal = last?.version.id === versionId && last.version.update === 'release' && passedReturn(facts) === true;
  const instead =
    candidate === undefined
      ? 'No version can be rolled back now.'
      : `Only ${candidate.version.id} can, the version that was installed last.`;
  const isAdopted = last?.version.id === versionId && last.how === 'adopt';
  const why = isAdopted ? ' It was adopted, so what ran before it is not known.' : '';
  const message = isFinal
    ? `The upgrade to ${versionId} has passed its point of no return, so it cannot be rolled back. To return from it, use its restore point.`
    : `${versionId} cannot be rolled back.${why} ${instead}`;
  return new StewardError('conflict', message, {
    details: [`versionManifest: must be a version that checkRollback lists, not "${versionId}"`],
  });
}

/** Turns a request for a rollback into the specification of a job. */
export function specifyRollback(facts: Facts, versionId: string, isSimulated: boolean): JobSpec {
  const failed = failedJob(facts);
  if (failed !== undefined) throw new StewardError('conflict', ownershipProblem(failed));
  const last = removableVersion(facts);
  if (last === undefined || last.version.id !== versionId) throw refusal(facts, versionId, last);
  return {
    task: {
      versionId,
      from: versionNumberOf(last.version),
      to: versionNumberOf(facts.installed.at(-2)?.version),
      volumes: {},
      licenceUpload: undefined,
      licenceHash: undefined,
      planHash: undefined,
      expectedPlan: undefined,
      isRestorePointWaived: false,
      isSimulated,
      removes: last.seq,
    },
    targets: [{ update: 'rollback', version: undefined, replacedBy: undefined, previousImages: last.before }],
    alreadyDone: new Set(),
    isPastReturn: false,
  };
}

import { StewardError } from '../../foundation/errors.ts';
import { isActive } from '../../model/jobState.ts';
import type { Version } from '../../model/version.ts';
import { versionNumberOf } from '../../model/version.ts';
import type { Facts, Installed } from '../ports/upgradeStore.ts';
import { rolloutId } from '../plan/rolloutSteps.ts';
import type { Target } from '../values/target.ts';
import type { JobSpec } from '../values/task.ts';
import { cursorOf, isPastReturn } from '../values/task.ts';
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
  const hasImages = last !== undefined && last.before.length > 0;
  const isKnown = last?.how === 'upgrade' && (hasImages || changedObjects(facts) !== undefined);
  if (!isKnown || isBusy || !areObjectsKept(facts)) return undefined;
  return isReturnOpen(facts, last) ? last : undefined;
}

/** The versions that the job of the current one has installed. */
function installedTogether({ installed }: Facts, { job }: Installed): readonly Version[] {
  return installed.filter((one) => one.job === job).map(({ version }) => version);
}

/** A patch alone has a point of no return only if its objects have one. After a release, in the same job, it has none. */
function isReturnOpen(facts: Facts, last: Installed): boolean {
  if (last.version.update === 'release') return passedReturn(facts) === false;
  return installedTogether(facts, last).length > 1 || passedReturn(facts) !== true;
}

/** The job that installed the current version, if it has changed objects. */
function changedObjects({ installedBy }: Facts): string | undefined {
  return installedBy !== undefined && cursorOf(installedBy).hasObjects === true ? installedBy.id : undefined;
}

/** The changes of objects that belong to the current version. A job that has installed two versions has one rollout for each. */
function undoneObjects(facts: Facts, last: Installed): Target['undoes'] {
  const job = changedObjects(facts);
  if (job === undefined) return undefined;
  const updates = installedTogether(facts, last);
  return { job, step: updates.length > 1 ? rolloutId(updates, updates.length - 1) : undefined };
}

/** What a job has kept of objects is deleted when the next upgrade has ended. */
function areObjectsKept(facts: Facts): boolean {
  const job = changedObjects(facts);
  return job === undefined || facts.keptObjects.has(job);
}

/** Undefined if the job that installed the current version is not known. */
function passedReturn({ installedBy }: Facts): boolean | undefined {
  return installedBy && isPastReturn(installedBy);
}

function refusal(facts: Facts, versionId: string, candidate: Installed | undefined): StewardError {
  const last = facts.installed.at(-1);
  const isFinal = last?.version.id === versionId && passedReturn(facts) === true && !isReturnOpen(facts, last);
  const instead =
    candidate === undefined
      ? 'No version can be rolled back now.'
      : `Only ${candidate.version.id} can, the version that was installed last.`;
  const isAdopted = last?.version.id === versionId && last.how === 'adopt';
  const why = isAdopted ? ' It was adopted, so what ran before it is not known.' : '';
  const isForgotten = last?.version.id === versionId && !areObjectsKept(facts);
  const forgotten = isForgotten ? ' What its upgrade changed of objects is not kept any more.' : '';
  const message = isFinal
    ? `The upgrade to ${versionId} has passed its point of no return, so it cannot be rolled back. To return from it, use its restore point.`
    : `${versionId} cannot be rolled back.${why}${forgotten} ${instead}`;
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
  const undoes = undoneObjects(facts, last);
  const isRestored = (facts.restoredAt ?? 0) > last.at;
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
      ...(undoes !== undefined && {
        objects: { bundle: undefined, former: [], ...(isRestored && { keepsAll: true as const }) },
      }),
    },
    targets: [
      {
        update: 'rollback',
        version: undefined,
        replacedBy: undefined,
        previousImages: last.before,
        ...(undoes !== undefined && { undoes }),
      },
    ],
    alreadyDone: new Set(),
    isPastReturn: false,
  };
}

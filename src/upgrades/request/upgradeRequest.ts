// Validates a request for an upgrade as far as that is possible without asking the deployment, and turns it into the
// specification of a job. Every problem is reported at once.
import { isDeepStrictEqual } from 'node:util';
import { StewardError } from '../../foundation/errors.ts';
import { HOOKS } from '../../model/hook.ts';
import { unknownFeatures } from '../../model/manifest/features.ts';
import type { AfterFailure } from '../../model/mode.ts';
import type { CurrentVersion, Version } from '../../model/version.ts';
import { canInstall, installProblem, latestPatchOf, versionName } from '../../model/version.ts';
import { DATABASE_PHASES } from '../../model/workload.ts';
import type { Target } from '../values/target.ts';
import type { RunState } from '../journal/runState.ts';
import type { RequestFindings } from '../plan/checks/check.ts';
import type { StepId } from '../values/plan.ts';
import type { Facts } from '../ports/upgradeStore.ts';
import { UPGRADE } from '../ports/upgradeStore.ts';
import type { JobSpec, Task, TaskObjects } from '../values/task.ts';
import type { AcceptedManifest } from '../versions/acceptManifest.ts';
import { refuseMisfit } from '../versions/acceptManifest.ts';
import { currentVersion, failedJob } from '../versions/currentVersion.ts';
import { canFinish, finishProblem } from '../failure/ownership.ts';
import { unsignedProblem } from '../versions/trustedVersions.ts';
import type { UpgradeInputs } from '../versions/upgradeSettings.ts';
import { areSettingsRequired, isLatestPatchDefault, readUpgradeSettings } from '../versions/upgradeSettings.ts';
import type { LicenceContext, SentLicence } from './requestedLicence.ts';
import { LICENCE_FILE, findLicence } from './requestedLicence.ts';

export interface UpgradeRequest {
  readonly versionId: string;
  /** Versions that came with the request; the id is looked up there first. */
  readonly manifest: AcceptedManifest;
  /** The deprecated `licenseFile`. */
  readonly licence: SentLicence | undefined;
  readonly settings: Readonly<Record<string, unknown>> | undefined;
  readonly updateToLatestPatch: boolean | undefined;
  readonly planHash: string | undefined;
  readonly withoutRestorePoint: boolean;
  readonly afterFailure?: AfterFailure | undefined;
  /** Workloads whose other managers are acknowledged. */
  readonly acknowledge?: readonly string[] | undefined;
}

/** A request as a job would do it, and what must be corrected in it first. */
export interface SpecifiedUpgrade {
  readonly spec: JobSpec;
  readonly inputs: UpgradeInputs;
  readonly findings: RequestFindings;
}

/** What a request refers to, read before the transaction. */
export interface RequestContext extends LicenceContext {
  /** The latest job, if it failed. */
  readonly failed: RunState | undefined;
  readonly isSimulated: boolean;
}

/** Steps that a job which completes a failed one does not repeat. */
const CARRIED_OVER: ReadonlySet<StepId> = new Set<StepId>([
  ...HOOKS.map((hook) => `hook/${hook}` as const),
  ...DATABASE_PHASES.map((phase) => `database/${phase}` as const),
]);

/** Finds a version in the manifest of the request, then among the known versions. */
export function findVersion(
  { known, unsigned }: Pick<Facts, 'known' | 'unsigned'>,
  id: string,
  manifest: readonly Version[] = [],
  field = 'versionManifest',
): Version {
  const found = manifest.find((one) => one.id === id) ?? known.find((one) => one.id === id);
  if (found !== undefined) return found;
  if (unsigned?.has(id) === true) throw new StewardError('conflict', unsignedProblem(id));
  throw new StewardError('notFound', `No version with the id \`${id}\`. Import the manifest that contains it.`, {
    details: [`${field}: must be the id of a known version, not "${id}"; available lists what can be installed`],
  });
}

interface Inputs {
  readonly inputs: UpgradeInputs;
  readonly findings: RequestFindings;
  readonly licenceHash: string | undefined;
}

/** Reads the settings. Throws if they are malformed; a missing setting or a licence that cannot be used is a finding. */
function readInputs(
  version: Version,
  current: CurrentVersion,
  request: UpgradeRequest,
  context: RequestContext,
): Inputs {
  const { settings } = request;
  const { inputs, problems } = readUpgradeSettings(settings ?? {}, request, version);
  const isMissing = settings === undefined && areSettingsRequired(version);
  const missingSettings = isMissing ? [`upgradeSettings: is required for ${versionName(version)}.`] : [];
  const { licence, hash } = findLicence(version, current, inputs, request.licence, context);
  if (problems.length === 0) return { inputs, findings: { missingSettings, licence }, licenceHash: hash };
  const details = problems.map((problem) => `upgradeSettings: ${problem}`);
  throw new StewardError('invalid', `The settings of the upgrade to ${versionName(version)} are invalid.`, {
    details: [...details, ...missingSettings, ...licence.problems],
  });
}

function targetOf(version: Version): Target {
  return { update: version.update, version, replacedBy: undefined, previousImages: [] };
}

/** Patches are cumulative: the latest one can usually be installed directly. */
function stepsTo(version: Version, latestPatch: Version | undefined, current: CurrentVersion): readonly Version[] {
  if (latestPatch === undefined) return [version];
  const isDirect = version.update === 'patch' && canInstall(latestPatch, current);
  return isDirect ? [latestPatch] : [version, latestPatch];
}

/** The versions that an upgrade to a version installs: the version, and the latest patch if that is wanted or the default. */
export function versionsToInstall(
  known: readonly Version[],
  version: Version,
  updateToLatestPatch: boolean | undefined,
  current: CurrentVersion,
): readonly Version[] {
  const goesOn = updateToLatestPatch ?? isLatestPatchDefault(version.update);
  return stepsTo(version, goesOn ? latestPatchOf(known, version) : undefined, current);
}

/** Chooses the versions to install. A patch over a half-installed release completes that release with the patch's images. */
function targetsOf(
  facts: Facts,
  version: Version,
  latestPatch: Version | undefined,
  { failed }: RequestContext,
): Omit<JobSpec, 'task'> {
  const last = latestPatch ?? version;
  if (failed !== undefined && canFinish(failed, version)) {
    const releases = failed.targets.filter(({ update }) => update === 'release');
    const alreadyDone = new Set([...failed.done].filter((step) => CARRIED_OVER.has(step)));
    const targets = [...releases.map((target) => ({ ...target, replacedBy: last })), targetOf(last)];
    return { targets, alreadyDone, isPastReturn: true };
  }
  const targets = stepsTo(version, latestPatch, currentVersion(facts)).map(targetOf);
  return { targets, alreadyDone: new Set(), isPastReturn: false };
}

/** The objects that a job applies: those of the last version that has any, or else those that are installed. */
function taskObjects(
  { installed, restoredAt = 0 }: Facts,
  targets: readonly Target[],
  ofFailedJob: TaskObjects | undefined,
): TaskObjects | undefined {
  const versions = targets.flatMap(({ version, replacedBy }) => [version ?? [], replacedBy ?? []].flat());
  const inForce = installed.at(-1)?.objects;
  const installedBundle = inForce === undefined ? undefined : { checksum: inForce };
  const own = versions.findLast(({ objects }) => objects !== undefined)?.objects;
  const bundle = own ?? ofFailedJob?.bundle ?? installedBundle;
  if (bundle === undefined) return undefined;
  const former = [inForce ?? [], ofFailedJob?.bundle?.checksum ?? [], ofFailedJob?.former ?? []].flat();
  const isRestored = restoredAt > (installed.at(-1)?.at ?? 0);
  return { bundle, former: [...new Set(former)], ...(isRestored && { keepsAll: true }) };
}

const NO_FINDINGS: RequestFindings = { missingSettings: [], licence: { kind: 'notNeeded', problems: [], todo: '' } };

/** The failed job, if a request names its version: `upgrade` then retries that job. */
export function jobToRetry({ failed }: RequestContext, { versionId }: UpgradeRequest): RunState | undefined {
  return failed?.job.kind === UPGRADE && failed.job.task.versionId === versionId ? failed : undefined;
}

/** Whether a licence is that of a job. Builds before version 0.1.0 did not keep its hash: then the same upload is the same licence. */
function isLicenceOf({ licenceHash, licenceUpload }: Task, hash: string, { licenseUpload }: UpgradeInputs): boolean {
  return licenceHash === undefined ? licenseUpload === licenceUpload : licenceHash === hash;
}

function isOtherAcknowledged({ acknowledged = [] }: Task, { acknowledge = [] }: UpgradeRequest): boolean {
  return acknowledge.some((name) => !acknowledged.includes(name));
}

/** Throws if a request gives other settings than the failed job was accepted with: a retry would not use them. */
export function refuseOtherSettings(
  { job: { task } }: RunState,
  request: UpgradeRequest,
  version: Version,
  context: RequestContext,
): void {
  const { inputs, licenceHash } = readInputs(version, task.from, request, context);
  const { volumesConfig } = inputs;
  const isOther = [
    ['volumesConfig', Object.keys(volumesConfig).length > 0 && !isDeepStrictEqual(volumesConfig, task.volumes)],
    ['licenseUpload', licenceHash !== undefined && !isLicenceOf(task, licenceHash, inputs)],
    ['acknowledge', isOtherAcknowledged(task, request)],
    ['withoutRestorePoint', request.withoutRestorePoint && !task.isRestorePointWaived],
  ] as const;
  const details = isOther.flatMap(([field, differs]) =>
    differs ? [`${field}: differs from that of the failed job`] : [],
  );
  if (details.length > 0)
    throw new StewardError(
      'conflict',
      `The upgrade to ${versionName(task.to)} has failed, and a retry uses the settings of the failed job. Send the same settings, or none.`,
      { details },
    );
}

/** The specification of a retry: the rest of the failed job, with its own settings. */
function specifyRetry(
  { job, targets, done, isPastReturn }: RunState,
  request: UpgradeRequest,
  version: Version,
): SpecifiedUpgrade {
  if (!isPastReturn)
    throw new StewardError(
      'conflict',
      `The upgrade to ${versionName(job.task.to)} has failed, and a retry completes its rollback, which has no plan. Retry it without planHash, then plan again.`,
    );
  const task = { ...job.task, planHash: request.planHash };
  const { inputs } = readUpgradeSettings(request.settings ?? {}, request, version);
  return { spec: { task, targets, alreadyDone: done, isPastReturn }, inputs, findings: NO_FINDINGS };
}

/** A version that an earlier build has imported may require what this build lacks. */
function featureRefusal(version: Version): string | undefined {
  const unknown = unknownFeatures(version);
  if (unknown.length === 0) return undefined;
  return `${version.id} (${versionName(version)}) requires what this version of Steward does not know: ${unknown.join(', ')}. Update Steward first.`;
}

/** Why a version cannot be installed now; undefined if it can. */
function refusalOf(facts: Facts, known: readonly Version[], version: Version, { failed }: RequestContext) {
  const job = failedJob(facts);
  const isOwned = job !== undefined && failed?.job.id === job.id;
  return (
    (isOwned ? finishProblem(job, failed, version) : undefined) ?? installProblem(known, currentVersion(facts), version)
  );
}

/** Turns a request into the specification of a job, or throws an error. What can be corrected in the request is a finding. */
export function specifyUpgrade(facts: Facts, request: UpgradeRequest, context: RequestContext): SpecifiedUpgrade {
  const { versions: sent } = request.manifest;
  refuseMisfit(request.manifest, facts);
  const version = findVersion(facts, request.versionId, sent);
  const known = [...sent, ...facts.known.filter(({ id }) => sent.every((one) => one.id !== id))];
  const current = currentVersion(facts);
  const retried = jobToRetry(context, request);
  if (retried !== undefined) {
    refuseOtherSettings(retried, request, version, context);
    return specifyRetry(retried, request, version);
  }
  const cannot = featureRefusal(version) ?? refusalOf(facts, known, version, context);
  if (cannot !== undefined)
    throw new StewardError('conflict', cannot, {
      details: [`versionManifest: must be a version that available lists, not "${version.id}"`],
    });
  const { inputs, findings, licenceHash } = readInputs(version, current, request, context);
  const latestPatch = inputs.updateToLatestPatch ? latestPatchOf(known, version) : undefined;
  const lacking = latestPatch && featureRefusal(latestPatch);
  if (lacking !== undefined) throw new StewardError('conflict', lacking);
  const { version: number, build } = latestPatch ?? version;
  const task: Task = {
    versionId: version.id,
    from: context.failed === undefined ? current : context.failed.job.task.from,
    to: { version: number, build },
    volumes: inputs.volumesConfig,
    licenceUpload: inputs.licenseUpload === '' ? request.licence && LICENCE_FILE : inputs.licenseUpload,
    licenceHash,
    planHash: request.planHash,
    expectedPlan: undefined,
    isRestorePointWaived: request.withoutRestorePoint,
    ...((request.acknowledge?.length ?? 0) > 0 && { acknowledged: request.acknowledge }),
    isSimulated: context.isSimulated,
    removes: undefined,
    ...(request.afterFailure !== undefined && { afterFailure: request.afterFailure }),
  };
  const rest = targetsOf(facts, version, latestPatch, context);
  const objects = taskObjects(facts, rest.targets, context.failed?.job.task.objects);
  return { spec: { task: { ...task, ...(objects && { objects }) }, ...rest }, inputs, findings };
}

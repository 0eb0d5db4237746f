// Validates a request for an upgrade as far as that is possible without asking the deployment, and turns it into the
// specification of a job. Every problem is reported at once.
import { StewardError } from '../../foundation/errors.ts';
import type { Job } from '../../jobs/jobStore.ts';
import { HOOKS } from '../../model/hook.ts';
import { licenceProblems, needsLicence } from '../../model/licence.ts';
import type { CurrentVersion, Version } from '../../model/version.ts';
import { canInstall, installProblem, latestPatchOf, versionName } from '../../model/version.ts';
import { DATABASE_PHASES } from '../../model/workload.ts';
import type { Target } from '../journal/entry.ts';
import type { RunState } from '../journal/runState.ts';
import { isDatabaseIncomplete } from '../journal/runState.ts';
import type { StepId } from '../plan/plan.ts';
import type { Facts } from '../ports/upgradeStore.ts';
import type { JobSpec, Task } from '../task.ts';
import { taskOf } from '../task.ts';
import { currentVersion, unfinishedJob } from '../versions/currentVersion.ts';
import type { UpgradeInputs } from '../versions/upgradeSettings.ts';
import { areSettingsRequired, readUpgradeSettings } from '../versions/upgradeSettings.ts';

export interface UpgradeRequest {
  readonly versionId: string;
  /** Versions that came with the request; the id is looked up there first. */
  readonly manifest: readonly Version[];
  /** The deprecated `licenseFile`. */
  readonly licence: { readonly name: string; readonly bytes: Buffer } | undefined;
  readonly settings: Readonly<Record<string, unknown>> | undefined;
  readonly updateToLatestPatch: boolean | undefined;
  readonly planHash: string | undefined;
  readonly withoutRestorePoint: boolean;
}

/**
 * A placeholder for the id of an upload. A licence that is sent with the request itself, in the deprecated field `licenseFile`,
 * becomes an upload when the job is accepted, and has no id before that.
 */
export const LICENCE_FILE = 'licenseFile';

/** What a request refers to, read before the transaction. */
export interface RequestContext {
  /** The content of the upload that the settings name; undefined if there is none. */
  readonly uploadedLicence: string | undefined;
  /** The latest job, if it failed. */
  readonly failed: RunState | undefined;
  readonly licenceKey: string | undefined;
  readonly isSimulated: boolean;
  readonly now: number;
}

/** Steps that a job which completes a failed one does not repeat. */
const CARRIED_OVER: ReadonlySet<StepId> = new Set<StepId>([
  ...HOOKS.map((hook) => `hook/${hook}` as const),
  ...DATABASE_PHASES.map((phase) => `database/${phase}` as const),
]);

/** Finds a version in the manifest of the request, then among the known versions. */
export function findVersion(
  { known }: Pick<Facts, 'known'>,
  id: string,
  manifest: readonly Version[] = [],
  field = 'versionManifest',
): Version {
  const found = manifest.find((one) => one.id === id) ?? known.find((one) => one.id === id);
  if (found !== undefined) return found;
  throw new StewardError('notFound', `There is no version ${id}. See available, or import the manifest that has it.`, {
    details: [`${field}: must be the id of a version that is known`],
  });
}

function readInputs(
  version: Version,
  current: CurrentVersion,
  { settings, updateToLatestPatch, licence }: UpgradeRequest,
): { readonly inputs: UpgradeInputs; readonly problems: readonly string[] } {
  const { inputs, problems } = readUpgradeSettings(
    settings ?? {},
    { updateToLatestPatch, hasLicence: licence !== undefined },
    needsLicence(version, current),
  );
  const isMissing = settings === undefined && areSettingsRequired(version);
  const missing = `is required for ${versionName(version)}. Get it from getUpgradeSettings, fill it in and send it; {} where nothing is required`;
  const all = [...(isMissing ? [missing] : []), ...problems];
  return { inputs, problems: all.map((problem) => `upgradeSettings: ${problem}`) };
}

function licenceDetails(
  version: Version,
  { licenseUpload }: UpgradeInputs,
  { licence }: UpgradeRequest,
  { uploadedLicence, licenceKey, now }: RequestContext,
): readonly string[] {
  if (licenseUpload !== '') {
    const field = 'upgradeSettings: licenseUpload:';
    if (uploadedLicence === undefined)
      return [`${field} there is no upload ${licenseUpload}; upload the licence at uploads/upload`];
    const problems = licenceProblems(uploadedLicence, version, now, licenceKey);
    return problems.map((problem) => `${field} the licence ${problem}`);
  }
  if (licence === undefined) return [];
  const problems = licenceProblems(licence.bytes.toString('utf8'), version, now, licenceKey);
  return problems.map((problem) => `licenseFile: ${problem}`);
}

function targetOf(version: Version): Target {
  return { update: version.update, version, replacedBy: undefined, previousImages: [] };
}

/** Chooses the versions to install. A patch over a half-installed release completes that release with the patch's images. */
function targetsOf(
  facts: Facts,
  version: Version,
  latestPatch: Version | undefined,
  { failed }: RequestContext,
): Omit<JobSpec, 'task'> {
  const last = latestPatch ?? version;
  const isUnfinished = unfinishedJob(facts) !== undefined;
  if (version.update === 'patch' && isUnfinished && failed !== undefined) {
    const releases = failed.targets.filter(({ update }) => update === 'release');
    const alreadyDone = new Set([...failed.done].filter((step) => CARRIED_OVER.has(step)));
    const targets = [...releases.map((target) => ({ ...target, replacedBy: last })), targetOf(last)];
    return { targets, alreadyDone, isPastReturn: true };
  }
  // Patches are cumulative: the latest one can usually be installed directly.
  const isOne = latestPatch === undefined || (version.update === 'patch' && canInstall(last, currentVersion(facts)));
  const targets = isOne ? [targetOf(last)] : [targetOf(version), targetOf(last)];
  return { targets, alreadyDone: new Set(), isPastReturn: isUnfinished };
}

function unfinishedProblem(
  unfinished: Job | undefined,
  { id }: Version,
  { failed }: RequestContext,
): string | undefined {
  if (unfinished === undefined) return undefined;
  const goOn = `Go on with a POST to system/jobs/${unfinished.id}/retry`;
  if (taskOf(unfinished).versionId === id)
    return `${id} is half installed by the job ${unfinished.id}. ${goOn}, or with upgrade and the same id.`;
  if (failed === undefined || !isDatabaseIncomplete(failed)) return undefined;
  return `The job ${unfinished.id} has stopped in the middle of the upgrade of the database, which only it can finish. ${goOn}.`;
}

/** Turns a request into the specification of a job, or throws an error that names every problem. */
export function specifyUpgrade(facts: Facts, request: UpgradeRequest, context: RequestContext): JobSpec {
  const version = findVersion(facts, request.versionId, request.manifest);
  const known = [
    ...request.manifest,
    ...facts.known.filter(({ id }) => request.manifest.every((one) => one.id !== id)),
  ];
  const current = currentVersion(facts);
  const unfinished = unfinishedJob(facts);
  const cannot = unfinishedProblem(unfinished, version, context) ?? installProblem(known, current, version);
  if (cannot !== undefined)
    throw new StewardError('conflict', cannot, {
      details: ['versionManifest: see available for what can be installed'],
    });
  const { inputs, problems } = readInputs(version, current, request);
  const details = [...problems, ...licenceDetails(version, inputs, request, context)];
  if (details.length > 0)
    throw new StewardError('invalid', `The upgrade to ${versionName(version)} cannot start like this.`, { details });
  const latestPatch = inputs.updateToLatestPatch ? latestPatchOf(known, version) : undefined;
  const { version: number, build } = latestPatch ?? version;
  const task: Task = {
    versionId: version.id,
    from: unfinished === undefined ? current : taskOf(unfinished).from,
    to: { version: number, build },
    volumes: inputs.volumesConfig,
    licenceUpload: inputs.licenseUpload === '' ? request.licence && LICENCE_FILE : inputs.licenseUpload,
    planHash: request.planHash,
    isRestorePointWaived: request.withoutRestorePoint,
    isSimulated: context.isSimulated,
    removes: undefined,
  };
  return { task, ...targetsOf(facts, version, latestPatch, context) };
}

import type { Actor } from '../../model/actor.ts';
import type { Decision } from '../../model/decision.ts';
import { StewardError } from '../../foundation/errors.ts';
import type { Job, StepDone } from '../../jobs/jobStore.ts';
import { newJob } from '../../jobs/jobStore.ts';
import { isActive } from '../../model/jobState.ts';
import { upgradeEvent } from '../run/finish.ts';
import { modeEvent } from '../../model/mode.ts';
import { licenceProblems, needsLicence } from '../../model/licence.ts';
import { message, simulatedNote } from '../journal/messages.ts';
import type { Mode } from '../../model/mode.ts';
import type { Cursor, Task, TaskLeg } from '../task.ts';
import { LEGS, cursorOf, taskOf } from '../task.ts';
import type { UpgradeInputs } from '../versions/upgradeSettings.ts';
import { areSettingsRequired, readUpgradeSettings } from '../versions/upgradeSettings.ts';
import type { Facts, LockedFacts, UpgradeChange } from '../ports/upgradeStore.ts';
import { ROLLBACK, UPGRADE } from '../ports/upgradeStore.ts';
import type { CurrentVersion, Version } from '../../model/version.ts';
import { canInstall, latestPatchOf, versionName, versionNumberOf, installProblem } from '../../model/version.ts';

export interface UpgradeRequest {
  readonly versionId: string;
  /** What came with the request: the id is looked for there first. */
  readonly manifest: readonly Version[];
  /** The deprecated `licenseFile`. */
  readonly licence: { readonly name: string; readonly bytes: Buffer } | undefined;
  readonly settings: Readonly<Record<string, unknown>> | undefined;
  readonly updateToLatestPatch: boolean | undefined;
  readonly planHash: string | undefined;
  readonly withoutRestorePoint: boolean;
}

/** Stands for the licence of the deprecated `licenseFile` until the job is accepted and the licence is an upload. */
export const SENT_ALONG = 'licenseFile';

/** What else is known of a request, looked up before the transaction. */
export interface LookedUp {
  /** What the upload holds that the settings name; undefined where there is none. */
  readonly uploadedLicence: string | undefined;
  /** Of the latest job, if that has failed: what it was to do, and the steps that it has done. */
  readonly failed:
    | {
        readonly legs: readonly TaskLeg[];
        readonly steps: readonly StepDone[];
        /** Whether the database is in the middle of its own upgrade. */
        readonly isDatabaseHalf: boolean;
      }
    | undefined;
  readonly licenceKey: string | undefined;
  readonly isSimulated: boolean;
  readonly now: number;
}

export interface Wanted {
  readonly task: Task;
  readonly legs: readonly TaskLeg[];
  /** What a job that has failed has done already, where this one finishes it. */
  readonly steps: readonly StepDone[];
  readonly isPastReturn: boolean;
}

/** The latest job, if that has failed; who has told since what runs, with `adopt`, has done with it. */
export function failedJob({ latest, installed }: Facts): Job | undefined {
  if (latest?.state !== 'failed') return undefined;
  const last = installed.at(-1);
  return last?.how === 'adopt' && last.at >= (latest.ended ?? latest.started) ? undefined : latest;
}

/** A job that has stopped after its point of no return: the deployment is neither here nor there. */
export function unfinished(facts: Facts): Job | undefined {
  const failed = failedJob(facts);
  return failed !== undefined && cursorOf(failed).isPastReturn ? failed : undefined;
}

/** Over what the next version would be installed. */
export function standingOf(facts: Facts): CurrentVersion {
  const half = unfinished(facts);
  return half === undefined ? versionNumberOf(facts.installed.at(-1)?.version) : taskOf(half).to;
}

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

function settingsProblems(
  version: Version,
  standing: CurrentVersion,
  request: UpgradeRequest,
): { readonly inputs: UpgradeInputs; readonly problems: readonly string[] } {
  const { settings, updateToLatestPatch, licence } = request;
  const isLicenceNeeded = needsLicence(version, standing);
  const { inputs, problems } = readUpgradeSettings(
    settings ?? {},
    { updateToLatestPatch, hasLicence: licence !== undefined },
    isLicenceNeeded,
  );
  const missing =
    settings === undefined && areSettingsRequired(version)
      ? [
          `is required for ${versionName(version)}. Get it from getUpgradeSettings, fill it in and send it; {} where nothing is required`,
        ]
      : [];
  return { inputs, problems: [...missing, ...problems].map((problem) => `upgradeSettings: ${problem}`) };
}

function licenceDetails(
  version: Version,
  inputs: UpgradeInputs,
  request: UpgradeRequest,
  { uploadedLicence, licenceKey, now }: LookedUp,
): readonly string[] {
  const { licenseUpload } = inputs;
  if (licenseUpload !== '') {
    const field = 'upgradeSettings: licenseUpload:';
    if (uploadedLicence === undefined)
      return [`${field} there is no upload ${licenseUpload}; upload the licence at uploads/upload`];
    return licenceProblems(uploadedLicence, version, now, licenceKey).map(
      (problem) => `${field} the licence ${problem}`,
    );
  }
  if (request.licence === undefined) return [];
  return licenceProblems(request.licence.bytes.toString('utf8'), version, now, licenceKey).map(
    (problem) => `licenseFile: ${problem}`,
  );
}

function legOf(version: Version, replacedBy?: Version): TaskLeg {
  return { update: version.update, version, replacedBy, former: [] };
}

/** A patch over a version that was only half installed brings that to its end first, with the patch's images. */
function legsOver(
  facts: Facts,
  version: Version,
  latestPatch: Version | undefined,
  lookedUp: LookedUp,
): Pick<Wanted, 'legs' | 'steps' | 'isPastReturn'> {
  const last = latestPatch ?? version;
  if (version.update === 'patch' && unfinished(facts) !== undefined && lookedUp.failed !== undefined) {
    const releases = lookedUp.failed.legs.filter(({ update }) => update === 'release');
    const legs = [...releases.map((leg) => ({ ...leg, replacedBy: last })), legOf(last)];
    return { legs, steps: lookedUp.failed.steps, isPastReturn: true };
  }
  // Patches are cumulative: the latest one mostly goes over whatever the chosen one goes over.
  const isOne = latestPatch === undefined || (version.update === 'patch' && canInstall(last, standingOf(facts)));
  const isPastReturn = unfinished(facts) !== undefined;
  return { legs: isOne ? [legOf(last)] : [legOf(version), legOf(last)], steps: [], isPastReturn };
}

function problemWithHalf(half: Job | undefined, { id }: Version, { failed }: LookedUp): string | undefined {
  if (half === undefined) return undefined;
  const goOn = `Go on with a POST to system/jobs/${half.id}/retry`;
  if (taskOf(half).versionId === id)
    return `${id} is half installed by the job ${half.id}. ${goOn}, or with upgrade and the same id.`;
  if (failed?.isDatabaseHalf !== true) return undefined;
  return `The job ${half.id} has stopped in the middle of the upgrade of the database, which only it can finish. ${goOn}.`;
}

/** Everything that can be checked without looking at the deployment, every problem at once. */
export function wantedBy(facts: Facts, request: UpgradeRequest, lookedUp: LookedUp): Wanted {
  const version = findVersion(facts, request.versionId, request.manifest);
  const known = [
    ...request.manifest,
    ...facts.known.filter(({ id }) => request.manifest.every((one) => one.id !== id)),
  ];
  const standing = standingOf(facts);
  const half = unfinished(facts);
  const cannot = problemWithHalf(half, version, lookedUp) ?? installProblem(known, standing, version);
  if (cannot !== undefined)
    throw new StewardError('conflict', cannot, {
      details: ['versionManifest: see available for what can be installed'],
    });
  const { inputs, problems } = settingsProblems(version, standing, request);
  const details = [...problems, ...licenceDetails(version, inputs, request, lookedUp)];
  if (details.length > 0)
    throw new StewardError('invalid', `The upgrade to ${versionName(version)} cannot start like this.`, { details });
  const latestPatch = inputs.updateToLatestPatch ? latestPatchOf(known, version) : undefined;
  const { version: number, build } = latestPatch ?? version;
  const task: Task = {
    versionId: version.id,
    from: half === undefined ? standing : taskOf(half).from,
    to: { version: number, build },
    volumes: inputs.volumesConfig,
    licenceUpload: inputs.licenseUpload === '' ? request.licence && SENT_ALONG : inputs.licenseUpload,
    planHash: request.planHash,
    isRestorePointWaived: request.withoutRestorePoint,
    isSimulated: lookedUp.isSimulated,
    removes: undefined,
  };
  return { task, ...legsOver(facts, version, latestPatch, lookedUp) };
}

export function jobMode({ from, to }: Task, kind: string): Mode {
  const what = kind === ROLLBACK ? 'A rollback' : 'An upgrade';
  return {
    isReadOnly: true,
    message: `${what} from ${versionName(from)} to ${versionName(to)} is running. Watch it at system/upgrades.`,
    setBy: 'job',
  };
}

export function refuseSecond({ latest }: Pick<Facts, 'latest'>): void {
  if (latest === undefined || !isActive(latest.state)) return;
  throw new StewardError(
    'conflict',
    `The job ${latest.id} is running: ${latest.kind} to ${versionName(taskOf(latest).to)}.`,
    {
      details: [`Watch it at system/upgrades; pause, resume or cancel it at system/jobs/${latest.id}.`],
    },
  );
}

/** The transaction that accepts a job: the job, its first messages, and read-only mode. */
export function accept(
  seen: LockedFacts,
  by: Actor,
  given: {
    readonly id: string;
    readonly kind: string;
    readonly wanted: Wanted;
    readonly now: number;
    readonly change: UpgradeChange;
    readonly keeps: NonNullable<UpgradeChange['add']>['keeps'];
  },
): Decision<UpgradeChange> {
  refuseSecond(seen);
  if (seen.mode.setBy === 'job')
    throw new StewardError('conflict', 'A job has set read-only mode and has not left it yet.');
  const { id, kind, wanted, keeps } = given;
  // The latest job is the one that was started last, whatever the clocks of the replicas say.
  const now = Math.max(given.now, (seen.latest?.started ?? 0) + 1);
  const task: Task = { ...wanted.task, licenceUpload: keeps?.id ?? wanted.task.licenceUpload };
  const cursor: Cursor = { attempt: 0, isPastReturn: wanted.isPastReturn, modeBefore: seen.mode };
  const job = newJob({ id, kind, task, cursor, total: 0, startedBy: by.name, started: now, phase: 'start' });
  const gaps = { from: versionName(task.from), to: versionName(task.to), simulated: simulatedNote(task.isSimulated) };
  const mode = jobMode(task, kind);
  return {
    change: {
      ...given.change,
      mode,
      add: {
        job,
        keeps,
        uses: task.licenceUpload,
        steps: [{ name: LEGS, tookMs: 0, result: wanted.legs }, ...wanted.steps],
      },
      say: { job: id, messages: [kind === UPGRADE ? message(2010, gaps) : message(2072, gaps), message(2165, {})] },
    },
    announce: [upgradeEvent('upgrade.started', job), ...modeEvent(seen.mode, mode)],
    audit: [
      {
        action: `${kind}.start`,
        target: `job ${id}`,
        before: { version: gaps.from },
        after: {
          id: task.versionId,
          version: gaps.to,
          withoutRestorePoint: task.isRestorePointWaived,
          planHash: task.planHash,
        },
      },
    ],
  };
}

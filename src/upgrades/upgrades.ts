// The front door of the area: versions, plans and requests. An accepted request becomes a durable job (run/session.ts).
import { cacheValue } from '../foundation/cache/cachedValue.ts';
import { StewardError } from '../foundation/errors.ts';
import { newId } from '../foundation/ids.ts';
import type { Log } from '../foundation/log.ts';
import type { Sealer } from '../foundation/sealer.ts';
import type { JobKinds } from '../jobs/jobRunner.ts';
import type { Job } from '../jobs/jobStore.ts';
import type { ControlOptions, JobControls, Verb } from '../jobs/jobs.ts';
import type { Actor } from '../model/actor.ts';
import { silentDecision } from '../model/decision.ts';
import { needsLicence } from '../model/licence.ts';
import type { Version } from '../model/version.ts';
import { availableFrom, inOrder, upgradePaths } from '../model/version.ts';
import { shownJob } from './jobDetails.ts';
import type { PlannedUpgrade, PlannerDependencies } from './request/planner.ts';
import { createPlanner } from './request/planner.ts';
import type { Facts, RestorePoint } from './ports/upgradeStore.ts';
import { KINDS, ROLLBACK, UPGRADE } from './ports/upgradeStore.ts';
import { createObjectTools } from './request/objectTools.ts';
import type { AdoptOptions } from './request/adopt.ts';
import { adoptVersion } from './request/adopt.ts';
import { acceptJob, refuseSecondJob } from './request/acceptJob.ts';
import { controlJob } from './request/controlJob.ts';
import { createManifestImport } from './request/importManifest.ts';
import { removableVersion, specifyRollback } from './request/rollback.ts';
import { checkRetry } from './request/checkRetry.ts';
import type { RequestContext, UpgradeRequest } from './request/upgradeRequest.ts';
import { LICENCE_FILE, licenceUpload } from './request/requestedLicence.ts';
import { findVersion, jobToRetry, specifyUpgrade, versionsToInstall } from './request/upgradeRequest.ts';
import type { SessionOptions } from './run/session.ts';
import { limitCalls } from './run/calls/limitCalls.ts';
import { upgradeJobKinds } from './jobKinds.ts';
import type { AcceptedManifest } from './versions/acceptManifest.ts';
import { NO_MANIFEST, requireManifest } from './versions/acceptManifest.ts';
import { currentVersion } from './versions/currentVersion.ts';
import { finishersOf } from './failure/ownership.ts';
import { neededImages } from './versions/imageList.ts';
import { withinLimit } from './versions/knownVersions.ts';
import { openingProblem } from './failure/openingProblem.ts';
import { newRestorePoint } from './plan/restorePoint.ts';
import { createRunningView } from './versions/runningVersions.ts';
import { createVersionTrust } from './versions/trustedVersions.ts';
import { userInputs } from './versions/upgradeSettings.ts';

export interface UpgradesDependencies extends Omit<PlannerDependencies, 'objects'> {
  readonly log: Log;
  readonly limits: Pick<SessionOptions, 'parallel' | 'deadlineMs' | 'observeEveryMs'>;
  /** In PEM; undefined if manifests need not be signed. */
  readonly manifestKey: string | undefined;
  /** Where the objects of the deployment are; undefined if it has no namespaces. */
  readonly namespace: string | undefined;
  /** The kinds outside namespaces that objects may have. */
  readonly clusterKinds: ReadonlySet<string>;
  readonly sealer: Sealer;
}

const HISTORY_LENGTH = 100;

/** Creates the area. */
export function createUpgrades(given: UpgradesDependencies) {
  const deployment = given.deployment && limitCalls(given.deployment, given.clock);
  const objects = createObjectTools(given, deployment);
  const dependencies = { ...given, deployment, objects };
  const { store, clock } = dependencies;
  const cachedFacts = cacheValue(() => store.facts());
  const planner = createPlanner(dependencies);
  const trust = createVersionTrust(dependencies);

  /** The facts with only those versions that may be installed. */
  async function trustedFacts(): Promise<Facts> {
    return trust.trusted(await store.facts());
  }

  const importManifest = createManifestImport({ store, rules: dependencies, facts: trustedFacts });

  const invalidate = (): void => cachedFacts.invalidate();

  async function changeJob(verb: Verb, by: Actor, { id }: Pick<Job, 'id'>, options?: ControlOptions): Promise<void> {
    await store.change(by, (facts) => controlJob(verb, facts, id, by, options));
    invalidate();
  }

  async function acceptUpgrade(
    by: Actor,
    request: UpgradeRequest,
    facts: Facts,
    context: RequestContext,
  ): Promise<void> {
    const planned = await planner.plan(specifyUpgrade(facts, request, context));
    await planner.refuseObstacles(planned);
    const expectedPlan = request.planHash === undefined ? undefined : planned.plan.hash;
    const id = newId();
    const upload = licenceUpload(by, request.licence, clock.now());
    await store.change(by, (locked) => {
      refuseSecondJob(locked);
      if (locked.latest?.id !== facts.latest?.id || locked.latest?.state !== facts.latest?.state)
        throw new StewardError(
          'conflict',
          'Another job has run since this request began. Check system/upgrades, then try again.',
        );
      // What was verified before the transaction is what is installed.
      const { known, products } = facts;
      const specified = specifyUpgrade({ ...locked, known, products }, request, context).spec;
      const spec = { ...specified, task: { ...specified.task, expectedPlan } };
      const addUpload = spec.task.licenceUpload === LICENCE_FILE ? upload : undefined;
      const addVersions = withinLimit(locked.known, request.manifest);
      return acceptJob(locked, by, { id, kind: UPGRADE, spec, now: clock.now(), addVersions, addUpload });
    });
    invalidate();
  }

  return {
    invalidate,
    facts: (): Promise<Facts> => cachedFacts.read(),
    isSimulated: (): boolean => dependencies.deployment?.isSimulated ?? false,

    /** Lists the versions that can be installed now. */
    async available(): Promise<readonly Version[]> {
      const facts = await trustedFacts();
      const failed = await planner.failedState(facts);
      return inOrder(
        failed === undefined ? availableFrom(facts.known, currentVersion(facts)) : finishersOf(failed, facts.known),
      );
    },

    /** Lists every later version that can be reached, as the versions to install in their order, the one itself last. */
    async paths() {
      const facts = await trustedFacts();
      const [from, failed] = [currentVersion(facts), await planner.failedState(facts)];
      const finishers = failed && inOrder(finishersOf(failed, facts.known)).map((one) => [one]);
      return { from, paths: finishers ?? upgradePaths(facts.known, from) };
    },

    /** Throws while a job runs. */
    async mustBeIdle(): Promise<void> {
      refuseSecondJob(await store.facts());
    },

    /** Lists the versions that can be rolled back: one or none. */
    async removable(): Promise<readonly Version[]> {
      const last = removableVersion(await store.facts());
      return last === undefined ? [] : [last.version];
    },

    /** What the deployment runs at this time; undefined if no deployment is configured. Many readers cost one look a second. */
    running: createRunningView(dependencies),

    /** Lists upgrades and rollbacks, newest first. */
    history: (limit = HISTORY_LENGTH): Promise<readonly Job[]> => store.past(limit),

    /** Reads a manifest that was sent in a field, or throws an error that names its problems. */
    readManifest: (field: string, text: string): AcceptedManifest =>
      requireManifest(field, text, dependencies.manifestKey),

    /** Imports the versions of a manifest, and the objects of one of them. `isSigned` tells whether a key has verified it. */
    async importManifest(by: Actor, manifest: AcceptedManifest, objectsFile?: Buffer) {
      const imported = await importManifest(by, manifest, objectsFile);
      invalidate();
      return { ...imported, isSigned: dependencies.manifestKey !== undefined };
    },

    /** Returns the settings that an upgrade to a version takes. */
    async settingsFor(id: string) {
      const facts = await trustedFacts();
      const version = findVersion(facts, id, [], 'upgradeId');
      return { userInputs: userInputs(version, needsLicence(version, currentVersion(facts))) };
    },

    /** Lists the images that an upgrade to a version needs, and the versions that it installs. */
    async images(id: string, updateToLatestPatch: boolean | undefined) {
      const facts = await trustedFacts();
      const version = findVersion(facts, id, [], 'id');
      const versions = versionsToInstall(facts.known, version, updateToLatestPatch, currentVersion(facts));
      return { versions, images: neededImages(versions, deployment?.referenceFor ?? ((image) => image)) };
    },

    /** Records a restore point that was made by other means. */
    async declareRestorePoint(by: Actor, name: string, madeAt: number | undefined): Promise<RestorePoint> {
      const point = newRestorePoint(name, madeAt ?? clock.now(), clock.now());
      await store.change(by, ({ restorePoint: before }) => {
        const note = { action: 'restorePoint.declare', target: 'restore point', before, after: point };
        return silentDecision({ restorePoint: point }, note);
      });
      invalidate();
      return point;
    },

    /** Shows what an upgrade would do. Changes nothing but the list of plans that were shown. */
    async plan(request: UpgradeRequest): Promise<PlannedUpgrade> {
      const facts = await trustedFacts();
      const planned = await planner.plan(specifyUpgrade(facts, request, await planner.contextOf(facts, request)));
      await planner.keep(planned);
      return planned;
    },

    /** Starts an upgrade, or retries it if it failed. Returns when the job, its first message and read-only mode are stored. */
    async start(by: Actor, request: UpgradeRequest): Promise<void> {
      const facts = await trustedFacts();
      refuseSecondJob(facts);
      const context = await planner.contextOf(facts, request);
      const failed = jobToRetry(context, request);
      if (failed === undefined) return acceptUpgrade(by, request, facts, context);
      await checkRetry(planner, failed, request, { facts, context });
      await changeJob('retry', by, failed.job, request);
    },

    /** Starts the rollback of the version that was installed last. */
    async rollback(by: Actor, versionId: string): Promise<void> {
      const { isSimulated } = planner.deployment();
      const id = newId();
      await store.change(by, (facts) => {
        refuseSecondJob(facts);
        const spec = specifyRollback(facts, versionId, isSimulated);
        return acceptJob(facts, by, {
          id,
          kind: ROLLBACK,
          spec,
          now: clock.now(),
          addVersions: NO_MANIFEST,
          addUpload: undefined,
        });
      });
      invalidate();
    },

    /** Why nothing could be written if read-only mode ended now, and what to do; undefined if writes would work. */
    openingProblem: () => openingProblem(deployment, clock, async () => planner.failedState(await store.facts())),

    /** Compares the deployment with a version, and unless `isDryRun` records the version as the current one. */
    async adopt(by: Actor, id: string, manifest: AcceptedManifest, options: AdoptOptions) {
      const adopted = await adoptVersion({ ...dependencies, planner }, await trustedFacts(), by, {
        id,
        manifest,
        ...options,
      });
      invalidate();
      return adopted;
    },

    controls: Object.fromEntries(
      KINDS.map((kind): [string, JobControls] => [kind, { control: changeJob, shown: shownJob }]),
    ),

    /** Seals again with the newest master key what is kept of objects. */
    resealAll: () => store.resealContents(dependencies.sealer.reseal),

    /** The jobs that this server can run: none if no deployment is configured. */
    jobKinds: (): JobKinds => upgradeJobKinds(dependencies, trust),
  };
}

export type Upgrades = ReturnType<typeof createUpgrades>;

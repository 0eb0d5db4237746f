// The operations of `/system/upgrades`: which versions there are, what an upgrade would do, starting and following one.
// Rules live in the upgrades area; this file translates forms into its requests and its answers into bodies.
import type { JobFeed, JobSnapshot } from '../../../jobs/jobFeed.ts';
import type { Job } from '../../../jobs/jobStore.ts';
import type { UpgradeRequest } from '../../../upgrades/request/upgradeRequest.ts';
import { failedJob } from '../../../upgrades/versions/currentVersion.ts';
import { shownState } from '../../../upgrades/values/jobStates.ts';
import type { Facts, Installed } from '../../../upgrades/ports/upgradeStore.ts';
import { taskOf } from '../../../upgrades/values/task.ts';
import type { Upgrades } from '../../../upgrades/upgrades.ts';
import type { AcceptedManifest } from '../../../upgrades/versions/acceptManifest.ts';
import { NO_MANIFEST } from '../../../upgrades/versions/acceptManifest.ts';
import type { Version } from '../../../model/version.ts';
import { versionName } from '../../../model/version.ts';
import type { FieldValues, SentFile } from '../../../wire/fields/fields.ts';
import type { upgradeOperations } from '../../../wire/operations/upgradeOperations.ts';
import type { Handlers } from '../../server/handler.ts';
import { done } from '../../server/handler.ts';
import { listedJob } from '../jobs/jobView.ts';
import { planView } from './planView.ts';
import { NO_UPGRADE, createStatusBytes, firstStatus, statusPage, upgradeJobView } from './upgradeStatus.ts';

function unfinishedView(job: Job) {
  const { versionId, to } = taskOf(job);
  return { id: versionId, to: versionName(to), jobId: job.id };
}

function pathView(path: readonly Version[]) {
  const versions = path.map((one) => ({ id: one.id, fullVersion: versionName(one), update: one.update }));
  return { id: versions.at(-1)?.id ?? '', versions };
}

function installedView({ version, at, how, by, job }: Installed) {
  return { ...version, installedAt: at, how, by, jobId: job ?? null };
}

/** A plan is asked for with the same fields as an upgrade, except for the hash of the plan. */
type UpgradeForm = FieldValues<typeof upgradeOperations.plan.fields> & { readonly planHash?: string | undefined };

export function upgradeHandlers(upgrades: Upgrades, feed: JobFeed): Handlers<typeof upgradeOperations> {
  const bytesOf = createStatusBytes();

  function manifestIn(file: SentFile | undefined): AcceptedManifest {
    return file === undefined ? NO_MANIFEST : upgrades.readManifest('versionManifestFile', file.bytes.toString('utf8'));
  }

  function requestOf(fields: UpgradeForm): UpgradeRequest {
    return {
      versionId: fields.versionManifest,
      manifest: manifestIn(fields.versionManifestFile),
      licence: fields.licenseFile,
      settings: fields.upgradeSettings,
      updateToLatestPatch: fields.updateToLatestPatch,
      planHash: fields.planHash,
      withoutRestorePoint: fields.withoutRestorePoint ?? false,
      afterFailure: fields.afterFailure,
      acknowledge: fields.acknowledge,
    };
  }

  /** The facts as of now, even if another replica has changed them a moment ago. */
  async function currentFacts(): Promise<Facts> {
    await feed.catchUp();
    return upgrades.facts();
  }

  async function latest(): Promise<JobSnapshot | undefined> {
    const { latest: job } = await currentFacts();
    return job === undefined ? undefined : feed.read(job.id);
  }

  async function started() {
    feed.invalidate();
    const snapshot = await latest();
    if (snapshot === undefined) throw new Error('the job that was started is not there');
    return { body: firstStatus(snapshot) };
  }

  return {
    async status() {
      const snapshot = await latest();
      if (snapshot === undefined) return { body: NO_UPGRADE };
      return {
        get body() {
          return statusPage(snapshot);
        },
        cached: bytesOf(snapshot),
      };
    },

    async available() {
      return { body: await upgrades.available() };
    },

    async paths() {
      const { from, paths } = await upgrades.paths();
      return { body: { from: versionName(from), paths: paths.map(pathView) } };
    },

    async installed() {
      return { body: { updates: (await currentFacts()).installed.map(installedView) } };
    },

    async checkRollback() {
      return { body: { updates: await upgrades.removable() } };
    },

    async currentVersion() {
      const facts = await currentFacts();
      const last = facts.installed.at(-1);
      const unfinished = failedJob(facts);
      return {
        body: {
          known: last !== undefined,
          id: last?.version.id ?? null,
          version: last?.version.version ?? null,
          build: last?.version.build ?? null,
          fullVersion: versionName(last?.version),
          installedAt: last?.at ?? null,
          how: last?.how ?? null,
          unfinished: unfinished === undefined ? null : unfinishedView(unfinished),
          simulated: upgrades.isSimulated(),
        },
      };
    },

    async history() {
      const jobs = await upgrades.history();
      return { body: { updates: jobs.map((job) => listedJob({ ...shownState(job.state), ...upgradeJobView(job) })) } };
    },

    async images({ fields: { id, updateToLatestPatch } }) {
      const { versions, images } = await upgrades.images(id, updateToLatestPatch);
      return { body: { id, versions: versions.map((one) => one.id), images } };
    },

    async importManifest({ actor, fields: { versionManifestFile, objectsFile } }) {
      const manifest = manifestIn(versionManifestFile);
      const { isSigned, objects, warnings } = await upgrades.importManifest(actor, manifest, objectsFile?.bytes);
      return done({
        versions: manifest.versions.map(({ id }) => id),
        signed: isSigned,
        objects: objects ?? null,
        warnings: [...manifest.warnings, ...warnings],
      });
    },

    async getUpgradeSettings({ fields: { upgradeId } }) {
      return { body: await upgrades.settingsFor(upgradeId) };
    },

    async plan({ fields }) {
      return { body: planView(await upgrades.plan(requestOf(fields)), upgrades.isSimulated()) };
    },

    async upgrade({ actor, fields }) {
      await upgrades.start(actor, requestOf(fields));
      return started();
    },

    async rollback({ actor, fields: { versionManifest } }) {
      await upgrades.rollback(actor, versionManifest);
      return started();
    },

    async adopt({ actor, fields: { versionManifest, versionManifestFile, dryRun = false, force = false } }) {
      const manifest = manifestIn(versionManifestFile);
      const options = { isDryRun: dryRun, force };
      const { version, differences, objects, unfinished } = await upgrades.adopt(
        actor,
        versionManifest,
        manifest,
        options,
      );
      const shown = objects.map(({ object, isAbsent, fields }) => ({ object, isAbsent, fields }));
      const ofObjects = shown.length === 0 ? {} : { objects: shown };
      const fullVersion = versionName(version);
      return done({ id: version.id, fullVersion, dryRun, differences, ...ofObjects, unfinished });
    },

    async declareRestorePoint({ actor, fields: { name, madeAt } }) {
      const point = await upgrades.declareRestorePoint(actor, name, madeAt);
      return done({ name: point.name, madeAt: point.at });
    },
  };
}

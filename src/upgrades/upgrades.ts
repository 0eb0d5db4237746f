import type { Actor } from '../model/actor.ts';
import type { Clock } from '../foundation/clock.ts';
import { MINUTE } from '../foundation/clock.ts';
import { StewardError, invalidField } from '../foundation/errors.ts';
import { newId } from '../foundation/ids.ts';
import type { Log } from '../foundation/log.ts';
import { cacheValue } from '../foundation/cachedValue.ts';
import type { Job, JobStore } from '../jobs/jobStore.ts';
import type { JobControls, Verb } from '../jobs/jobs.ts';
import type { JobKinds } from '../jobs/jobRunner.ts';
import type { UpgradeRequest } from './request/acceptUpgrade.ts';
import {
  SENT_ALONG,
  accept,
  failedJob,
  findVersion,
  refuseSecond,
  standingOf,
  unfinished,
  wantedBy,
} from './request/acceptUpgrade.ts';
import { adoption } from './versions/adoption.ts';
import { JOB_STATES } from './run/finish.ts';
import { controlled } from './request/controlJob.ts';
import type { Deployment } from './ports/deployment.ts';
import { needsLicence } from '../model/licence.ts';
import type { Planned } from './plan/planRequest.ts';
import { createPlanning } from './plan/planRequest.ts';
import { removable, rollbackWanted } from './request/rollback.ts';
import { taskOf } from './task.ts';
import { userInputs } from './versions/upgradeSettings.ts';
import type { Facts, RestorePoint, UpgradeStore } from './ports/upgradeStore.ts';
import { KINDS, ROLLBACK, UPGRADE } from './ports/upgradeStore.ts';
import type { UploadContents } from './ports/uploads.ts';
import { newUpload } from '../model/upload.ts';
import type { UpgradeJobNeeds } from './run/session.ts';
import { upgradeJob } from './run/session.ts';
import type { Version } from '../model/version.ts';
import { availableFrom, inOrder, versionName } from '../model/version.ts';

export interface UpgradesNeeds {
  readonly store: UpgradeStore;
  readonly jobs: JobStore;
  readonly uploads: UploadContents;
  /** Undefined where Steward stands beside no deployment. */
  readonly deployment: Deployment | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits: Pick<UpgradeJobNeeds, 'parallel' | 'deadlineMs' | 'lookEveryMs'>;
  /** In PEM; undefined where licences are not signed. */
  readonly licenceKey: string | undefined;
}

const HISTORY = 100;
const KNOWN_AT_MOST = 1000;
const CLOCKS_APART_MS = MINUTE;

/** Every start reads them all, so there is an end to them. */
function fitting(known: readonly Version[], more: readonly Version[]): readonly Version[] {
  const ids = new Set([...known, ...more].map(({ id }) => id));
  if (more.length === 0 || ids.size <= KNOWN_AT_MOST) return more;
  throw new StewardError('conflict', `At most ${KNOWN_AT_MOST} versions are kept; these would make ${ids.size}.`);
}

/** Upgrades of the whole deployment: what there is, what it would take, and the job that does it. */
export function createUpgrades(needs: UpgradesNeeds) {
  const { store, jobs, uploads, clock } = needs;
  const remembered = cacheValue(() => store.facts());

  const { deployment, inventory, lookUp, planOf, refuseOldPlan } = createPlanning(needs);

  async function contentOf(upload: string): Promise<string> {
    const bytes = await uploads.uploadBytes(upload);
    if (bytes === undefined) throw new StewardError('notFound', `There is no upload ${upload}.`);
    return bytes.toString('utf8');
  }

  const invalidate = (): void => remembered.invalidate();

  async function changeJob(verb: Verb, by: Actor, { id }: Job): Promise<void> {
    await store.change(by, (seen) => controlled(verb, seen, id, by));
    invalidate();
  }

  /** The deprecated `licenseFile`, as an upload of the job. */
  const kept = (by: Actor, licence: UpgradeRequest['licence']) => {
    if (licence === undefined) return undefined;
    const sent = { ...licence, description: 'The licenseFile of an upgrade', contentType: 'application/json' };
    return { ...newUpload(by, sent, clock.now()), bytes: licence.bytes };
  };

  const controls: JobControls = {
    control: changeJob,
    shown: (job) => {
      const { versionId, from, to, isSimulated } = taskOf(job);
      return {
        ...JOB_STATES[job.state],
        task: { id: versionId, from: versionName(from), to: versionName(to) },
        simulated: isSimulated,
      };
    },
  };

  return {
    invalidate,
    facts: (): Promise<Facts> => remembered.read(),
    isSimulated: (): boolean => needs.deployment?.isSimulated ?? false,

    async available(): Promise<readonly Version[]> {
      const facts = await store.facts();
      const half = unfinished(facts);
      const again = facts.known.filter(({ id }) => half !== undefined && id === taskOf(half).versionId);
      return inOrder([...availableFrom(facts.known, standingOf(facts)), ...again]);
    },

    /** Refuses while a job runs. */
    async mustBeIdle(): Promise<void> {
      refuseSecond(await store.facts());
    },

    async removable(): Promise<readonly Version[]> {
      const found = removable(await store.facts());
      return found === undefined ? [] : [found.version];
    },

    history: (limit = HISTORY): Promise<readonly Job[]> => store.past(limit),

    async importManifest(by: Actor, versions: readonly Version[]): Promise<void> {
      await store.change(by, ({ known, latest }) => {
        refuseSecond({ latest });
        const audit = [
          { action: 'manifest.import', target: 'manifest', after: { versions: versions.map(({ id }) => id) } },
        ];
        return { change: { know: fitting(known, versions) }, announce: [], audit };
      });
      invalidate();
    },

    async settingsFor(id: string) {
      const facts = await store.facts();
      return { userInputs: userInputs(needsLicence(findVersion(facts, id, [], 'upgradeId'), standingOf(facts))) };
    },

    async declareRestorePoint(by: Actor, name: string, madeAt: number | undefined): Promise<RestorePoint> {
      const point = { name, at: madeAt ?? clock.now() };
      if (point.at > clock.now() + CLOCKS_APART_MS)
        throw invalidField('madeAt', 'must not be a time that is still to come');
      await store.change(by, ({ restorePoint }) => ({
        change: { restorePoint: point },
        announce: [],
        audit: [{ action: 'restorePoint.declare', target: 'restore point', before: restorePoint, after: point }],
      }));
      invalidate();
      return point;
    },

    async plan(request: UpgradeRequest): Promise<Planned> {
      const facts = await store.facts();
      const wanted = wantedBy(facts, request, await lookUp(facts, request));
      return planOf(wanted);
    },

    /** Answers when the job, its first message and read-only mode are in the store. */
    async start(by: Actor, request: UpgradeRequest): Promise<void> {
      const facts = await store.facts();
      refuseSecond(facts);
      const { latest } = facts;
      const failed = failedJob(facts);
      if (failed?.kind === UPGRADE && taskOf(failed).versionId === request.versionId)
        return changeJob('retry', by, failed);
      const lookedUp = await lookUp(facts, request);
      await refuseOldPlan(wantedBy(facts, request, lookedUp));
      const [id, keeps] = [newId(), kept(by, request.licence)];
      await store.change(by, (seen) => {
        refuseSecond(seen);
        if (seen.latest?.id !== latest?.id || seen.latest?.state !== latest?.state)
          throw new StewardError('conflict', 'Another job has run meanwhile. Look at system/upgrades, then try again.');
        const wanted = wantedBy(seen, request, lookedUp);
        const needsIt = wanted.task.licenceUpload === SENT_ALONG ? keeps : undefined;
        const change = { know: fitting(seen.known, request.manifest) };
        return accept(seen, by, { id, kind: UPGRADE, wanted, now: clock.now(), change, keeps: needsIt });
      });
      invalidate();
    },

    async rollback(by: Actor, versionId: string): Promise<void> {
      const { isSimulated } = deployment();
      const id = newId();
      await store.change(by, (seen) => {
        refuseSecond(seen);
        const wanted = rollbackWanted(seen, versionId, { isSimulated });
        return accept(seen, by, { id, kind: ROLLBACK, wanted, now: clock.now(), change: {}, keeps: undefined });
      });
      invalidate();
    },

    /** What differs between what runs and a version; recorded as the current one unless `isDryRun`. */
    async adopt(by: Actor, id: string, manifest: readonly Version[], options: { isDryRun: boolean; force: boolean }) {
      const { workloads } = await inventory();
      const version = findVersion(await store.facts(), id, manifest);
      const { differences, refusal } = adoption(version, workloads);
      if (!options.isDryRun) {
        if (refusal !== undefined && !options.force) throw refusal;
        await store.change(by, (seen) => {
          refuseSecond(seen);
          // After the latest job, whatever the clocks of the replicas say.
          const at = Math.max(clock.now(), seen.latest?.ended ?? 0);
          const adopted = { version, at, how: 'adopt' as const, by: by.name, job: undefined, before: [] };
          return {
            change: {
              know: fitting(seen.known, manifest),
              install: [adopted],
              remove: seen.installed.map(({ seq }) => seq),
            },
            announce: [],
            audit: [
              { action: 'version.adopt', target: versionName(version), after: { id, differences: differences.length } },
            ],
          };
        });
        invalidate();
      }
      return { version, differences };
    },

    controls: Object.fromEntries(KINDS.map((kind) => [kind, controls])),

    jobKinds(): JobKinds {
      const { deployment: beside, log, limits } = needs;
      if (beside === undefined) return {};
      const kind = upgradeJob({ deployment: beside, store, jobs, licence: contentOf, clock, log, ...limits });
      return Object.fromEntries(KINDS.map((name) => [name, kind]));
    },
  };
}

export type Upgrades = ReturnType<typeof createUpgrades>;

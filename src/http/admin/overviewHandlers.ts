// The state of the system as a whole: what the first page of the console shows, and what the deployment runs.
import type { CatalogListing } from '../../catalog/listing.ts';
import { cacheFor } from '../../foundation/cache/cacheFor.ts';
import { StewardError, reasonOf } from '../../foundation/errors.ts';
import { sentence } from '../../foundation/text/sentence.ts';
import { DeploymentRefusal } from '../../model/failure.ts';
import type { Clock } from '../../foundation/clock.ts';
import { SECOND } from '../../foundation/clock.ts';
import type { DatabaseInstance } from '../../model/workload.ts';
import { shownState } from '../../upgrades/values/jobStates.ts';
import { omissionText } from '../../upgrades/values/omission.ts';
import type { RunningWorkload } from '../../upgrades/versions/runningVersions.ts';
import type { NearDeactivation } from '../../webhooks/activity/activity.ts';
import type { DeploymentStateAnswer, OverviewAnswer } from '../../wire/answers/overviewAnswers.ts';
import type { overviewOperations } from '../../wire/operations/systemOperations.ts';
import type { Areas } from '../areas.ts';
import type { Handlers } from '../server/handler.ts';
import type { UpgradeView } from '../../upgrades/attention.ts';
import { attentionOf } from './attention.ts';
import { listedJob } from './jobs/jobView.ts';
import { upgradeJobView } from './upgrades/upgradeStatus.ts';

export interface OverviewDependencies {
  readonly areas: Pick<Areas, 'catalog' | 'mode' | 'webhooks' | 'upgrades' | 'feed'>;
  readonly version: string;
  readonly clock: Pick<Clock, 'now'>;
  /** Returns the reasons why this replica cannot serve. */
  readonly obstacles: () => Promise<readonly string[]>;
}

function countServices({ folders }: CatalogListing): number {
  return folders.flatMap(({ chunks }) => chunks).reduce((all, chunk) => all + chunk.length, 0);
}

const KEPT_MS = 2 * SECOND;

/** Null if the deployment does not answer or no version is recorded. */
function driftedWorkloads({ running, facts }: UpgradeView): readonly string[] | null {
  if (running === undefined || running instanceof Error || facts.installed.length === 0) return null;
  const others = running.workloads.filter(({ runs }) => runs === 'other').map(({ workload }) => workload.name);
  const absent = running.incomplete.filter(({ why }) => why === 'absent').map(({ container }) => container);
  return [...others, ...absent];
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

function workloadView({ workload, runs }: RunningWorkload): DeploymentStateAnswer['workloads'][number] {
  const { name, component, module, wave, images, rollout, trouble, blocked, isSteward } = workload;
  return {
    workload: name,
    component,
    module,
    wave,
    runs,
    images: images.map((one) => ({ ...one, checksum: one.checksum ?? null })),
    rollout: rollout ?? null,
    trouble: trouble ?? null,
    blocked: blocked ?? null,
    isSteward,
  };
}

function instanceView({ name, role, isReadOnly, engine }: DatabaseInstance) {
  return { name, role, isReadOnly, engine };
}

function nearView({ webhook: { id, scope, name }, window: { failures, allowed } }: NearDeactivation) {
  const { folder: folderName, name: serviceName, type: serviceType } = scope;
  return { id, folderName, serviceName, serviceType, name, failures, allowed };
}

/** Turns the error of a deployment that does not tell what it runs into one for the caller. */
function rejectUnanswered(error: unknown): never {
  if (error instanceof DeploymentRefusal)
    throw new StewardError('conflict', error.failure.reason, { details: [error.failure.advice], cause: error });
  const message = `The deployment cannot be reached: ${sentence(reasonOf(error))} Try again.`;
  throw new StewardError('unavailable', message, { retryAfterSeconds: 10, cause: error });
}

export function overviewHandlers(dependencies: OverviewDependencies): Handlers<typeof overviewOperations> {
  const { areas, version, clock, obstacles } = dependencies;
  const { catalog, mode, webhooks, upgrades, feed } = areas;

  async function upgradeView(): Promise<UpgradeView> {
    const running = await upgrades.running().catch((error: unknown) => asError(error));
    const facts = await upgrades.facts();
    // The facts follow the beginning and the end of a job; the feed follows all of it.
    const latest = facts.latest && (await feed.read(facts.latest.id)).job;
    return { running, facts: { ...facts, latest }, now: clock.now() };
  }

  const read = cacheFor(clock, KEPT_MS, async (): Promise<OverviewAnswer> => {
    // First: this is when the caches learn what other replicas and the running job have changed.
    const current = await mode.current();
    const view = await upgradeView();
    const { latest } = view.facts;
    const found = { ...view, mode: current, obstacles: await obstacles() };
    const { attention, more } = attentionOf({ ...found, webhooks: await webhooks.attention() });
    const { isReadOnly, message } = found.mode;
    return {
      version,
      mode: { isReadOnly, message },
      attention,
      attentionMore: more,
      obstacles: found.obstacles,
      services: countServices(await catalog.listing()),
      deliveries: { ...(await webhooks.activity.totals()), unreadable: await webhooks.unreadableSecrets() },
      oldestDueSeconds: Math.floor(await webhooks.overdueSeconds()),
      perMinute: await webhooks.activity.perMinute(),
      nearDeactivation: (await webhooks.activity.nearDeactivation()).map(nearView),
      job: latest === undefined ? null : listedJob({ ...shownState(latest.state), ...upgradeJobView(latest) }),
      drift: driftedWorkloads(view),
    };
  });

  return {
    async overview() {
      return { body: await read() };
    },

    async deployment() {
      const running = await upgrades.running().catch(rejectUnanswered);
      const database = running?.inventory.database;
      const incomplete = running?.incomplete.map(omissionText) ?? [];
      return {
        body: {
          simulated: upgrades.isSimulated(),
          configured: running !== undefined,
          workloads: (running?.workloads ?? []).map(workloadView),
          ...(incomplete.length > 0 && { incomplete }),
          database:
            database === undefined
              ? null
              : { instances: database.instances.map(instanceView), trouble: database.trouble ?? null },
        },
      };
    },
  };
}

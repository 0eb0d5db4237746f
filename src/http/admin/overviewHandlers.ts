// The state of the system as a whole: what the first page of the console shows, and what the deployment runs.
import type { Catalog } from '../../catalog/catalog.ts';
import type { CatalogListing } from '../../catalog/listing.ts';
import { cacheFor } from '../../foundation/cacheFor.ts';
import type { Clock } from '../../foundation/clock.ts';
import { SECOND } from '../../foundation/clock.ts';
import type { DatabaseInstance } from '../../model/workload.ts';
import type { ReadOnlyMode } from '../../system/readOnlyMode.ts';
import { shownState } from '../../upgrades/jobStates.ts';
import { omissionText } from '../../upgrades/plan/omissions.ts';
import type { RunningWorkload } from '../../upgrades/versions/runningVersions.ts';
import type { Upgrades } from '../../upgrades/upgrades.ts';
import type { NearDeactivation } from '../../webhooks/activity/activity.ts';
import type { Webhooks } from '../../webhooks/webhooks.ts';
import type { DeploymentStateAnswer, OverviewAnswer } from '../../wire/answers/overviewAnswers.ts';
import type { overviewOperations } from '../../wire/operations/systemOperations.ts';
import type { Handlers } from '../server/handler.ts';
import { listedJob } from './jobs/jobView.ts';
import { upgradeJobView } from './upgrades/upgradeStatus.ts';

export interface OverviewDependencies {
  readonly areas: {
    readonly catalog: Catalog;
    readonly mode: ReadOnlyMode;
    readonly webhooks: Webhooks;
    readonly upgrades: Upgrades;
  };
  readonly version: string;
  readonly clock: Pick<Clock, 'now'>;
  /** Returns the reasons why this replica cannot serve. */
  readonly obstacles: () => Promise<readonly string[]>;
}

function countServices({ folders }: CatalogListing): number {
  return folders.flatMap(({ chunks }) => chunks).reduce((all, chunk) => all + chunk.length, 0);
}

const KEPT_MS = 2 * SECOND;

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

export function overviewHandlers(dependencies: OverviewDependencies): Handlers<typeof overviewOperations> {
  const { areas, version, clock, obstacles } = dependencies;
  const { catalog, mode, webhooks, upgrades } = areas;

  /** A deployment that does not answer is shown by its own page; the overview goes without it. */
  async function driftedWorkloads(): Promise<readonly string[] | null> {
    const running = await upgrades.running().catch(() => undefined);
    const isKnown = (await upgrades.facts()).installed.length > 0;
    if (running === undefined || !isKnown) return null;
    const others = running.workloads.filter(({ runs }) => runs === 'other').map(({ workload }) => workload.name);
    const absent = running.incomplete.filter(({ why }) => why === 'absent').map(({ container }) => container);
    return [...others, ...absent];
  }

  const read = cacheFor(clock, KEPT_MS, async (): Promise<OverviewAnswer> => {
    const { latest } = await upgrades.facts();
    const { isReadOnly, message } = await mode.current();
    return {
      version,
      mode: { isReadOnly, message },
      obstacles: await obstacles(),
      services: countServices(await catalog.listing()),
      deliveries: { ...(await webhooks.activity.totals()), unreadable: await webhooks.unreadableSecrets() },
      oldestDueSeconds: Math.floor(await webhooks.overdueSeconds()),
      perMinute: await webhooks.activity.perMinute(),
      nearDeactivation: (await webhooks.activity.nearDeactivation()).map(nearView),
      job: latest === undefined ? null : listedJob({ ...shownState(latest.state), ...upgradeJobView(latest) }),
      drift: await driftedWorkloads(),
    };
  });

  return {
    async overview() {
      return { body: await read() };
    },

    async deployment() {
      const running = await upgrades.running();
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

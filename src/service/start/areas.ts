// Creates the areas of the service on one store, and connects each to the changes of its data on other replicas.

import type { Access } from '../../access/access.ts';
import { createAccess } from '../../access/access.ts';
import { memoryHardPasswords } from '../../access/passwords.ts';
import { createCatalog } from '../../catalog/catalog.ts';
import type { Clock } from '../../foundation/clock.ts';
import { SECOND } from '../../foundation/clock.ts';
import type { Areas } from '../../http/areas.ts';
import { createJobFeed } from '../../jobs/jobFeed.ts';
import { createJobs } from '../../jobs/jobs.ts';
import type { Store } from '../../store/store.ts';
import { createReadOnlyMode } from '../../system/readOnlyMode.ts';
import { createUploads } from '../../system/uploads.ts';
import type { UpgradesDependencies } from '../../upgrades/upgrades.ts';
import { createUpgrades } from '../../upgrades/upgrades.ts';
import type { WebhooksDependencies } from '../../webhooks/webhooks.ts';
import { createWebhooks } from '../../webhooks/webhooks.ts';
import type { Settings } from '../settings/settings.ts';
import type { OpenedDeployment } from './deployment.ts';

type AccessSettings = Pick<Settings, 'tokenMinutes' | 'tokenLongestMinutes' | 'auditRetentionDays'>;
type WebhookSettings = Pick<
  Settings,
  'webhookConcurrency' | 'webhookConcurrencyEach' | 'webhookPace' | 'webhookRetentionDays'
>;
type UpgradeSettings = Pick<Settings, 'upgradeParallel' | 'upgradeDeadlineSeconds' | 'clusterKinds'>;

interface AreaDependencies
  extends
    Pick<WebhooksDependencies, 'clock' | 'log' | 'receiver' | 'sealer' | 'installation'>,
    Pick<UpgradesDependencies, 'manifestKey' | 'licenceKey'> {
  readonly driver: Pick<OpenedDeployment, 'deployment' | 'namespace' | 'observeEveryMs'>;
}

/** Creates the access area alone, for local commands that need no other. */
export function createAccessArea(store: Store, settings: AccessSettings, clock: Clock): Access {
  const access = createAccess({
    store: store.access,
    clock,
    passwords: memoryHardPasswords,
    isUpToDate: store.revisions.isUpToDate,
    defaultTokenMinutes: settings.tokenMinutes,
    longestTokenMinutes: settings.tokenLongestMinutes,
    auditRetentionDays: settings.auditRetentionDays,
  });
  store.revisions.watch('access', access.tokens.invalidate);
  return access;
}

/** Creates all areas on a store. Each is invalidated when its data changes, on this replica or another. */
export function createAreas(
  store: Store,
  settings: AccessSettings & WebhookSettings & UpgradeSettings,
  dependencies: AreaDependencies,
): Areas {
  const { clock, driver } = dependencies;
  const access = createAccessArea(store, settings, clock);
  const catalog = createCatalog({ store: store.catalog, clock });
  const mode = createReadOnlyMode({
    store: store.mode,
    catchUp: store.revisions.catchUp,
    openingProblem: () => upgrades.openingProblem(),
  });
  const webhooks = createWebhooks({
    ...dependencies,
    store: store.webhooks,
    jobs: store.jobs,
    limits: { total: settings.webhookConcurrency, perWebhook: settings.webhookConcurrencyEach },
    pacePerSecond: settings.webhookPace,
    retentionDays: settings.webhookRetentionDays,
  });
  const upgrades = createUpgrades({
    ...dependencies,
    deployment: driver.deployment,
    store: store.upgrades,
    jobs: store.jobs,
    uploads: store.uploads,
    namespace: driver.namespace,
    clusterKinds: new Set(settings.clusterKinds),
    limits: {
      parallel: settings.upgradeParallel,
      deadlineMs: settings.upgradeDeadlineSeconds * SECOND,
      observeEveryMs: driver.observeEveryMs,
    },
  });
  const feed = createJobFeed({ store: store.jobs, catchUp: store.revisions.catchUp });
  const jobs = createJobs({ store: store.jobs, controls: upgrades.controls });
  const uploads = createUploads({ store: store.uploads, clock });
  store.revisions.watch('webhooks', webhooks.invalidate);
  store.revisions.watch('versions', upgrades.invalidate);
  store.revisions.watch('catalog', catalog.invalidate);
  store.revisions.watch('mode', mode.invalidate);
  store.revisions.watch('jobs', feed.invalidate);
  return { access, catalog, mode, webhooks, jobs, feed, uploads, upgrades };
}

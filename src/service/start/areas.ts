import { createAccess } from '../../access/access.ts';
import type { Access } from '../../access/access.ts';
import { createPasswords } from '../../access/passwords.ts';
import { createCatalog } from '../../catalog/catalog.ts';
import type { SimulatedDeployment } from '../../drivers/simulated/simulatedDeployment.ts';
import type { Clock } from '../../foundation/clock.ts';
import { SECOND } from '../../foundation/clock.ts';
import type { Log } from '../../foundation/log.ts';
import type { Sealer } from '../../foundation/sealer.ts';
import type { Areas } from '../../http/server/routes.ts';
import { createJobFeed } from '../../jobs/jobFeed.ts';
import { createJobs } from '../../jobs/jobs.ts';
import type { Store } from '../../store/store.ts';
import { createReadOnlyMode } from '../../system/readOnlyMode.ts';
import { createUpgrades } from '../../upgrades/upgrades.ts';
import { createUploads } from '../../system/uploads.ts';
import type { Receiver } from '../../webhooks/ports/receiver.ts';
import { createWebhooks } from '../../webhooks/webhooks.ts';
import type { Settings } from '../settings/settings.ts';

type AccessSettings = Pick<Settings, 'tokenMinutes' | 'tokenLongestMinutes'>;
type WebhookSettings = Pick<
  Settings,
  'webhookConcurrency' | 'webhookConcurrencyEach' | 'webhookPace' | 'webhookRetentionDays'
>;

type UpgradeSettings = Pick<Settings, 'upgradeParallel' | 'upgradeDeadlineSeconds'>;

const LOOK_AT_SIMULATED_EVERY_MS = 100;

export function createAccessArea(store: Store, settings: AccessSettings, clock: Clock): Access {
  const access = createAccess({
    store: store.access,
    clock,
    passwords: createPasswords(),
    isUpToDate: store.revisions.isUpToDate,
    defaultTokenMinutes: settings.tokenMinutes,
    longestTokenMinutes: settings.tokenLongestMinutes,
  });
  store.revisions.watch('access', access.tokens.invalidate);
  return access;
}

/** The areas on a store, each told when what it remembers has changed. */
export function createAreas(
  store: Store,
  settings: AccessSettings & WebhookSettings & UpgradeSettings,
  world: {
    readonly clock: Clock;
    readonly log: Log;
    readonly receiver: Receiver;
    readonly sealer: Sealer;
    readonly simulated: SimulatedDeployment | undefined;
    /** In PEM; undefined where licences need not be signed. */
    readonly licenceKey: string | undefined;
  },
): Areas {
  const { clock, log, receiver, sealer, simulated } = world;
  const catalog = createCatalog({ store: store.catalog, clock });
  const mode = createReadOnlyMode({ store: store.mode });
  const webhooks = createWebhooks({
    store: store.webhooks,
    jobs: store.jobs,
    receiver,
    sealer,
    clock,
    log,
    limits: { total: settings.webhookConcurrency, perWebhook: settings.webhookConcurrencyEach },
    pacePerSecond: settings.webhookPace,
    retentionDays: settings.webhookRetentionDays,
  });
  const upgrades = createUpgrades({
    store: store.upgrades,
    jobs: store.jobs,
    uploads: store.uploads,
    deployment: simulated,
    clock,
    log,
    limits: {
      parallel: settings.upgradeParallel,
      deadlineMs: settings.upgradeDeadlineSeconds * SECOND,
      lookEveryMs: LOOK_AT_SIMULATED_EVERY_MS,
    },
    licenceKey: world.licenceKey,
  });
  const feed = createJobFeed({ store: store.jobs });
  const jobs = createJobs({ store: store.jobs, controls: upgrades.controls });
  const uploads = createUploads({ store: store.uploads, clock });
  store.revisions.watch('catalog', catalog.invalidate);
  store.revisions.watch('mode', mode.invalidate);
  store.revisions.watch('webhooks', webhooks.invalidate);
  store.revisions.watch('versions', upgrades.invalidate);
  store.revisions.watch('jobs', feed.invalidate);
  const access = createAccessArea(store, settings, clock);
  return { access, catalog, mode, webhooks, jobs, feed, uploads, upgrades };
}

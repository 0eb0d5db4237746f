import type { Job } from '../../jobs/jobStore.ts';
import { isActive } from '../../model/jobState.ts';
import { failedJob } from '../../upgrades/versions/currentVersion.ts';
import { shownState } from '../../upgrades/values/jobStates.ts';
import type { ReadOnlyMode } from '../../system/readOnlyMode.ts';
import type { Upgrades } from '../../upgrades/upgrades.ts';
import type { MetricRegistry } from './exposeMetric.ts';
import { exposeMetric } from './exposeMetric.ts';

/** Registers metrics to alert on: a failed upgrade, one that makes no progress, a system that stays read-only. */
export function registerUpgradeMetrics(registry: MetricRegistry, upgrades: Upgrades, mode: ReadOnlyMode): void {
  const latest = async (): Promise<Job | undefined> => (await upgrades.history(1))[0];
  const gauge = (name: string, help: string, read: (job: Job | undefined) => number | Promise<number>): void =>
    exposeMetric(registry, 'gauge', name, help, async () => read(await latest()));
  gauge(
    'steward_upgrade_state',
    'State of the latest upgrade: 0 none, 1 in progress, 2 failed, 3 success, 4 paused, 5 rolling back, 6 rolled back.',
    async (job) => {
      // `adopt` after a failed job clears the failure.
      const isOver = job?.state === 'failed' && failedJob(await upgrades.facts()) === undefined;
      return job === undefined || isOver ? 0 : shownState(job.state).code;
    },
  );
  gauge('steward_upgrade_done', 'Completed units of work of the latest upgrade.', (job) => job?.done ?? 0);
  gauge(
    'steward_upgrade_total',
    'Units of work of the latest upgrade; 0 until it is planned.',
    (job) => job?.total ?? 0,
  );
  gauge(
    'steward_upgrade_estimated_end_seconds',
    'When the running upgrade is expected to end, in seconds since 1970; 0 if none runs.',
    (job) => (job !== undefined && isActive(job.state) ? Math.round((job.endsAt ?? 0) / 1000) : 0),
  );
  exposeMetric(registry, 'gauge', 'steward_read_only', 'Whether the system is in read-only mode.', async () =>
    (await mode.read()).isReadOnly ? 1 : 0,
  );
}

import { SECOND } from '../../foundation/clock.ts';
import type { MetricRegistry } from './exposeMetric.ts';
import { exposeMetric } from './exposeMetric.ts';

export interface StoreCheck {
  /** What keeps the store from being used; an empty list if it can be used. */
  readonly obstacles: readonly string[];
  readonly tookMs: number;
}

/** What the metrics tell about the state of this replica. */
export interface ReplicaHealth {
  readonly checkStore: () => Promise<StoreCheck>;
  /** The free space of the data folder; undefined if the folder is not there. */
  readonly disk: () => { readonly freeBytes: number | undefined; readonly watermarkBytes: number };
  /** When the first certificate of the server's chain expires; undefined for plain HTTP. */
  readonly certificateExpiresAt: () => number | undefined;
  /** Whether the other replicas can see that this one runs. */
  readonly isPresent: () => boolean;
  /** By how much the clock of the store is ahead of the one of this machine. */
  readonly clockSkewMs: () => number;
  /** How many lines of the log could not be written since the start. */
  readonly droppedLogLines: () => number;
  /** Names what keeps this replica from serving; an empty list if it is ready. */
  readonly obstacles: () => Promise<readonly string[]>;
}

/** Registers metrics to alert on before clients notice: the store, the disk and the certificate. */
export function registerHealthMetrics(registry: MetricRegistry, health: ReplicaHealth): void {
  const gauge = exposeMetric.bind(undefined, registry, 'gauge');
  gauge('steward_ready', 'Whether this replica can serve, as /readyz says.', async () =>
    (await health.obstacles()).length === 0 ? 1 : 0,
  );
  gauge('steward_store_up', 'Whether the store can be used.', async () =>
    (await health.checkStore()).obstacles.length === 0 ? 1 : 0,
  );
  gauge('steward_present', 'Whether the other replicas can see that this one runs.', () =>
    health.isPresent() ? 1 : 0,
  );
  gauge(
    'steward_clock_skew_seconds',
    'By how much the clock of the database is ahead of the one of this machine.',
    () => health.clockSkewMs() / SECOND,
  );
  gauge(
    'steward_store_answer_seconds',
    'How long the store took to answer a check, for this reading.',
    async () => (await health.checkStore()).tookMs / SECOND,
  );
  gauge('steward_disk_free_bytes', 'Free space of the disk with the data folder.', () => health.disk().freeBytes ?? []);
  gauge(
    'steward_disk_watermark_bytes',
    'With less free space than this, nothing new is accepted.',
    () => health.disk().watermarkBytes,
  );
  exposeMetric(
    registry,
    'counter',
    'steward_log_dropped_lines_total',
    'Lines of the log that could not be written, because its disk was full or its reader was gone or too slow.',
    () => health.droppedLogLines(),
  );
  gauge(
    'steward_tls_certificate_expires_seconds',
    'When the certificate that the server uses expires, in seconds since 1970. Absent for plain HTTP.',
    () => {
      const at = health.certificateExpiresAt();
      return at === undefined ? [] : at / SECOND;
    },
  );
}

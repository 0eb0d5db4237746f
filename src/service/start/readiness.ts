import { statfsSync } from 'node:fs';
import type { Clock } from '../../foundation/clock.ts';
import { SECOND } from '../../foundation/clock.ts';
import { reasonOf } from '../../foundation/errors.ts';
import { startLoop } from '../../foundation/flow/loop.ts';
import type { HeaderOptions } from '../../http/server/commonHeaders.ts';
import type { ReplicaHealth, StoreCheck } from '../../http/metrics/healthMetrics.ts';
import type { CertificateReload } from '../files/certificateReload.ts';
import type { Store, StoreLocation } from '../../store/store.ts';
import type { StartContext } from '../startContext.ts';

const READY_WITHIN_MS = 2 * SECOND;
const CHECK_DISK_EVERY_MS = 5 * SECOND;
const MIB = 1024 * 1024;

/** Undefined if the folder is not there; the store reports that itself. */
function freeMibOf(folder: string): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return (bavail * bsize) / MIB;
  } catch {
    return undefined;
  }
}

/** The embedded store needs some room whatever the watermark is: below this the disk counts as full. */
const FULL_BELOW_MIB = 1;

export interface DiskWatch {
  isLow(): boolean;
  /** The free space now; undefined if the folder is not there. */
  freeMib(): number | undefined;
  /** With less free space than this, the disk is low. */
  readonly limitMib: number;
}

/** Starts to check the free space of a folder, and logs when it falls below the limit and when it recovers. */
export function startDiskWatch(
  folder: string,
  { kind }: Pick<StoreLocation, 'kind'>,
  { settings, clock, log, closeStack }: StartContext,
): DiskWatch {
  const limitMib = Math.max(settings.diskWatermarkMib, kind === 'sqlite' ? FULL_BELOW_MIB : 0);
  const isBelow = (free: number | undefined): boolean => free !== undefined && free < limitMib;
  let isLow = isBelow(freeMibOf(folder));
  const turn = async (): Promise<void> => {
    const free = freeMibOf(folder);
    if (isBelow(free) === isLow || free === undefined) return;
    isLow = !isLow;
    const fields = { freeMib: Math.round(free), watermarkMib: limitMib };
    if (isLow) log.error(fields, 'the disk is nearly full; nothing new is accepted');
    else log.info(fields, 'the disk has enough free space again; new data is accepted');
  };
  const loop = startLoop({ name: 'disk', pauseMs: CHECK_DISK_EVERY_MS, clock, log, turn });
  closeStack.add('disk watch', () => loop.stop());
  return { isLow: () => isLow, freeMib: () => freeMibOf(folder), limitMib };
}

/** Names what keeps the store from serving, or that it does not answer in time, and measures how long it takes. */
async function checkStore(store: Store, clock: Clock): Promise<StoreCheck> {
  const began = clock.now();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${READY_WITHIN_MS} ms`)), READY_WITHIN_MS);
  });
  try {
    const obstacles = await Promise.race([store.obstacles(), late]);
    return { obstacles, tookMs: clock.now() - began };
  } catch (error) {
    return { obstacles: [`the store does not answer: ${reasonOf(error)}`], tookMs: clock.now() - began };
  } finally {
    clearTimeout(timer);
  }
}

interface ReadinessDependencies {
  readonly disk: DiskWatch;
  readonly clock: Clock;
  readonly isStopping: () => boolean;
  readonly certificate: Pick<CertificateReload, 'expiresAt'>;
  readonly droppedLogLines: () => number;
}

/** Creates what the probes, the metrics and the admission of requests ask about this replica. */
export function createReadiness(store: Store, dependencies: ReadinessDependencies) {
  const { disk, clock, isStopping, certificate, droppedLogLines } = dependencies;
  return {
    isDiskLow: disk.isLow,
    certificateExpiresAt: certificate.expiresAt,
    isPresent: store.isPresent,
    clockSkewMs: store.clockSkewMs,
    droppedLogLines,
    isStopping,
    checkStore: () => checkStore(store, clock),
    disk() {
      const free = disk.freeMib();
      return { freeBytes: free === undefined ? undefined : free * MIB, watermarkBytes: disk.limitMib * MIB };
    },
    obstacles: async () => [
      ...(await checkStore(store, clock)).obstacles,
      ...(disk.isLow() ? [`less than ${disk.limitMib} MiB of disk are free in the data folder`] : []),
      ...(isStopping() ? ['the server is stopping'] : []),
    ],
  } satisfies ReplicaHealth & Pick<HeaderOptions, 'isStopping'> & { readonly isDiskLow: () => boolean };
}

import { statfsSync } from 'node:fs';
import { SECOND } from '../../foundation/clock.ts';
import { reasonOf } from '../../foundation/errors.ts';
import { startLoop } from '../../foundation/loop.ts';
import type { Store, StoreLocation } from '../../store/store.ts';
import type { StartContext } from './startContext.ts';

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
  return { isLow: () => isLow, limitMib };
}

/** Names what keeps the store from serving, or that it does not answer in time. */
async function storeObstacles(store: Store): Promise<readonly string[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${READY_WITHIN_MS} ms`)), READY_WITHIN_MS);
  });
  try {
    return await Promise.race([store.obstacles(), late]);
  } catch (error) {
    return [`the store does not answer: ${reasonOf(error)}`];
  } finally {
    clearTimeout(timer);
  }
}

/** Creates the function that names what keeps this replica from serving: an empty list if it is ready. */
export function createReadiness(
  store: Store,
  { disk, isStopping }: { readonly disk: DiskWatch; readonly isStopping: () => boolean },
): () => Promise<readonly string[]> {
  return async () => [
    ...(await storeObstacles(store)),
    ...(disk.isLow() ? [`less than ${disk.limitMib} MiB of disk are free in the data folder`] : []),
    ...(isStopping() ? ['the server is stopping'] : []),
  ];
}

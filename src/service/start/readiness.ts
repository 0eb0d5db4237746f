import { statfsSync } from 'node:fs';
import { SECOND } from '../../foundation/clock.ts';
import { reasonOf } from '../../foundation/errors.ts';
import { startLoop } from '../../foundation/loop.ts';
import type { Store } from '../../store/store.ts';
import type { StartContext } from './startContext.ts';

const READY_WITHIN_MS = 2 * SECOND;
const CHECK_DISK_EVERY_MS = 5 * SECOND;
const MIB = 1024 * 1024;

function freeMibOf(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return (bavail * bsize) / MIB;
}

/** Starts to check the free space of a folder, and logs when it falls below the watermark and when it recovers. */
export function startDiskWatch(folder: string, { settings, clock, log, closeStack }: StartContext): () => boolean {
  const watermarkMib = settings.diskWatermarkMib;
  let isLow = freeMibOf(folder) < watermarkMib;
  const turn = async (): Promise<void> => {
    const free = freeMibOf(folder);
    if (free < watermarkMib === isLow) return;
    isLow = !isLow;
    const fields = { freeMib: Math.round(free), watermarkMib };
    if (isLow) log.error(fields, 'the disk is nearly full; nothing new is accepted');
    else log.info(fields, 'the disk has room again');
  };
  const loop = startLoop({ name: 'disk', pauseMs: CHECK_DISK_EVERY_MS, clock, log, turn });
  closeStack.add('disk watch', () => loop.stop());
  return () => isLow;
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
  { settings }: StartContext,
  { isDiskLow, isStopping }: { readonly isDiskLow: () => boolean; readonly isStopping: () => boolean },
): () => Promise<readonly string[]> {
  return async () => [
    ...(await storeObstacles(store)),
    ...(isDiskLow() ? [`less than ${settings.diskWatermarkMib} MiB of disk are free in the data folder`] : []),
    ...(isStopping() ? ['the server is stopping'] : []),
  ];
}

import { statfsSync } from 'node:fs';
import { SECOND } from '../../foundation/clock.ts';
import { startLoop } from '../../foundation/loop.ts';
import type { StartContext } from './startContext.ts';

export interface DiskWatch {
  isLow(): boolean;
}

const CHECK_EVERY_MS = 5 * SECOND;
const MIB = 1024 * 1024;

function freeMibOf(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return (bavail * bsize) / MIB;
}

/** Starts to check the free space of a folder, and logs when it falls below the watermark and when it recovers. */
export function startDiskWatch(folder: string, { settings, clock, log, closeStack }: StartContext): DiskWatch {
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
  const loop = startLoop({ name: 'disk', pauseMs: CHECK_EVERY_MS, clock, log, turn });
  closeStack.add('disk watch', () => loop.stop());
  return { isLow: () => isLow };
}

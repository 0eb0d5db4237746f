import { statfsSync } from 'node:fs';
import { SECOND } from '../../foundation/clock.ts';
import type { Clock } from '../../foundation/clock.ts';
import type { Log } from '../../foundation/log.ts';
import type { Loop } from '../../foundation/loop.ts';
import { startLoop } from '../../foundation/loop.ts';

export interface DiskWatch extends Loop {
  isLow(): boolean;
}

const LOOK_EVERY_MS = 5 * SECOND;
const MIB = 1024 * 1024;

function freeMib(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return (bavail * bsize) / MIB;
}

/** Looks at the free space of the folder from time to time, and says when it falls below the watermark or recovers. */
export function watchDisk(
  folder: string,
  watermarkMib: number,
  clock: Clock,
  log: Log,
  free: (folder: string) => number = freeMib,
): DiskWatch {
  let low = free(folder) < watermarkMib;
  const loop = startLoop({
    name: 'disk',
    pauseMs: LOOK_EVERY_MS,
    clock,
    log,
    turn: async () => {
      const left = free(folder);
      if (left < watermarkMib === low) return;
      low = !low;
      if (low)
        log.error({ freeMib: Math.round(left), watermarkMib }, 'the disk is nearly full; nothing new is accepted');
      else log.info({ freeMib: Math.round(left), watermarkMib }, 'the disk has room again');
    },
  });
  return { ...loop, isLow: () => low };
}

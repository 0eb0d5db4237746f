import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { watchOwnProcesses } from './ownProcesses.ts';
import { sum } from './statistics.ts';

const SHARE_AT_MOST = 0.15;
const TICKS_PER_S = 100;

/** CPU time that the machine has used, including the time that its host has taken from it. */
function allTicks(): number {
  const numbers = /^cpu +([\d ]+)/.exec(readFileSync('/proc/stat', 'utf8'))?.[1]?.split(' ').map(Number) ?? [];
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = numbers;
  return sum([user, nice, system, irq, softirq, steal]);
}

/** Starts to watch. The result describes the share of the machine that other programs took, if it is large enough to disturb. */
export function watchOtherPrograms(): () => string | undefined {
  const [all, own, began] = [allTicks(), watchOwnProcesses(), performance.now()];
  return () => {
    const ticks = ((performance.now() - began) / 1000) * TICKS_PER_S * availableParallelism();
    const share = (allTicks() - all - own()) / ticks;
    return share > SHARE_AT_MOST ? `other programs took ${(share * 100).toFixed(0)} % of the machine` : undefined;
  };
}

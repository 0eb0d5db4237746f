import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { processFields, processIds } from './processUsage.ts';
import { sum } from './statistics.ts';

const SHARE_AT_MOST = 0.15;
const TICKS_PER_S = 100;
const PARENT = 1;
/** User and system time, of the process and of its children that have ended. */
const [TIMES_FROM, TIMES_TO] = [11, 15];

/** CPU time of this process and its descendants. */
function ownTicks(): number {
  const processes = new Map(processIds().map((pid) => [pid, processFields(pid) ?? []]));
  const isOwn = (pid: number): boolean => pid === process.pid || (pid > 1 && isOwn(processes.get(pid)?.[PARENT] ?? 0));
  return sum([...processes].filter(([pid]) => isOwn(pid)).flatMap(([, fields]) => fields.slice(TIMES_FROM, TIMES_TO)));
}

/** CPU time that the machine has used, including the time that its host has taken from it. */
function allTicks(): number {
  const numbers = /^cpu +([\d ]+)/.exec(readFileSync('/proc/stat', 'utf8'))?.[1]?.split(' ').map(Number) ?? [];
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = numbers;
  return sum([user, nice, system, irq, softirq, steal]);
}

/** Starts to watch. The result describes the share of the machine that other programs took, if it is large enough to disturb. */
export function watchOtherPrograms(): () => string | undefined {
  const [all, own, began] = [allTicks(), ownTicks(), performance.now()];
  return () => {
    const ticks = ((performance.now() - began) / 1000) * TICKS_PER_S * availableParallelism();
    const share = (allTicks() - all - (ownTicks() - own)) / ticks;
    return share > SHARE_AT_MOST ? `other programs took ${(share * 100).toFixed(0)} % of the machine` : undefined;
  };
}

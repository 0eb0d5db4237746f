import { readFileSync, readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';

const AT_MOST = 0.15;
const TICKS_PER_S = 100;

interface Process {
  readonly parent: number;
  /** With those of its children that have ended. */
  readonly ticks: number;
}

function readProcess(pid: number): Process | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
      .map(Number);
    return { parent: fields[1] ?? 0, ticks: fields.slice(11, 15).reduce((sum, one) => sum + one, 0) };
  } catch {
    return undefined;
  }
}

/** CPU time of this process and all that it has started. */
function ownTicks(): number {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  const all = new Map(pids.map((pid) => [pid, readProcess(pid)]));
  const isOwn = (pid: number): boolean => pid === process.pid || (pid > 1 && isOwn(all.get(pid)?.parent ?? 0));
  return pids.filter(isOwn).reduce((sum, pid) => sum + (all.get(pid)?.ticks ?? 0), 0);
}

/** CPU time that the machine has used, with what its host has taken from it. */
function allTicks(): number {
  const numbers = /^cpu +([\d ]+)/.exec(readFileSync('/proc/stat', 'utf8'))?.[1]?.split(' ').map(Number) ?? [];
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = numbers;
  return user + nice + system + irq + softirq + steal;
}

/** Answers, when it is called, in words what share of the machine other programs have taken since; undefined where it is little. */
export function watchNeighbours(): () => string | undefined {
  const [all, own, began] = [allTicks(), ownTicks(), performance.now()];
  return () => {
    const ticks = ((performance.now() - began) / 1000) * TICKS_PER_S * availableParallelism();
    const share = (allTicks() - all - (ownTicks() - own)) / ticks;
    return share > AT_MOST ? `other programs took ${(share * 100).toFixed(0)} % of the machine` : undefined;
  };
}

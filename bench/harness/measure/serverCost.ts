import type { RunningServer } from '../processes/childServer.ts';
import { cpuMicroseconds } from './processUsage.ts';
import type { Cost } from './report.ts';
import { progress } from './report.ts';
import type { Load } from '../load/wrk.ts';
import { sendLoad } from '../load/wrk.ts';

/** A load on one server, and what its requests cost in each round. */
export interface LoadCase extends Load, Cost {
  readonly name: string;
  readonly server: RunningServer;
  /** Takes part in this many rounds only. */
  readonly rounds: number;
  readonly microseconds: number[];
  readonly perSecond: number[];
}

export function loadCase(name: string, server: RunningServer, load: Load, rounds = Infinity): LoadCase {
  return { name, server, rounds, ...load, microseconds: [], perSecond: [] };
}

/** Sends the load once. The CPU time is that of the server process, for one request. */
export async function measureLoad({ pid }: RunningServer, load: Load, seconds: number) {
  const before = cpuMicroseconds(pid);
  const { requests, perSecond } = await sendLoad(load, seconds);
  return { microseconds: (cpuMicroseconds(pid) - before) / requests, perSecond };
}

/** Warms all servers up, then measures them in turns, so that a busy moment does not hit one of them only. */
export async function measureRounds(
  cases: readonly LoadCase[],
  { rounds, seconds, warmUpSeconds = seconds }: { rounds: number; seconds: number; warmUpSeconds?: number },
): Promise<void> {
  progress('warming up …');
  for (const one of cases) await sendLoad(one, warmUpSeconds);
  for (let round = 1; round <= rounds; round += 1) {
    progress(`round ${round} of ${rounds} …`);
    for (const one of cases.filter((each) => round <= each.rounds)) {
      const { microseconds, perSecond } = await measureLoad(one.server, one, seconds);
      one.microseconds.push(microseconds);
      one.perSecond.push(perSecond);
    }
  }
}

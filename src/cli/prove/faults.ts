// The faults of a run: kill -9, SIGSTOP past the lease, and restarts of the database, at moments that the seed determines.
import { spawn } from 'node:child_process';
import { SECOND, systemClock } from '../../foundation/clock.ts';
import { CommandFailure } from '../remote/exitCodes.ts';
import type { Random } from './random.ts';
import type { Replicas } from './replicas.ts';
import type { Stalls } from './stall.ts';
import { secondsText } from './stall.ts';

/** Longer than the lease of a delivery in this test (1 s for the answer, 10 s of margin). */
const FROZEN_MS = 13 * SECOND;

export interface Faults {
  kills(): number;
  freezes(): number;
  databaseRestarts(): number;
  /** Until when no replica could work because of a fault: now, while that is so. */
  outageUntil(): number;
  /** Injects faults until the time is over, and at least one of each kind. */
  run(until: number): Promise<void>;
}

export interface FaultOptions {
  readonly replicas: Replicas;
  readonly random: Random;
  /** A command that restarts the database. */
  readonly restartDatabase: string | undefined;
  /** Called just before a process dies or freezes. */
  readonly onFault: () => void;
  readonly pauseMs: readonly [min: number, max: number];
}

/** The faults so far, for the live score. */
export function faultText(faults: Faults, { longestStallMs }: Stalls): string {
  return `${faults.kills()} kills, ${faults.freezes()} freezes, ${faults.databaseRestarts()} restarts, longest stall ${secondsText(longestStallMs)}`;
}

function runShell(command: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('/bin/sh', ['-c', command], { stdio: 'ignore' });
    child.once('error', reject);
    child.once('exit', (code) =>
      code === 0
        ? resolve()
        : reject(new CommandFailure('usage', `--restart-database: the command ended with ${code}. Try it by hand.`)),
    );
  });
}

export function createFaults({ replicas, random, restartDatabase, onFault, pauseMs }: FaultOptions): Faults {
  let [kills, freezes, restarts] = [0, 0, 0];
  let [isOut, outageEnd] = [false, 0];

  /** Notes the time in which no replica can work, if there is one. */
  async function outage(isOutage: boolean, wait: () => Promise<unknown>): Promise<void> {
    isOut = isOutage;
    await wait();
    if (isOut) outageEnd = systemClock.now();
    isOut = false;
  }

  const areAllGone = (): boolean => replicas.running().length === 0;

  async function killOne(): Promise<void> {
    const victim = random.pick(replicas.running());
    if (victim === undefined) return;
    onFault();
    kills += 1;
    const killed = replicas.kill(victim);
    await outage(areAllGone(), async () => {
      await killed;
      await replicas.start(victim.n);
    });
  }

  async function freezeOne(): Promise<void> {
    const victim = random.pick(replicas.running());
    if (victim === undefined) return;
    onFault();
    freezes += 1;
    replicas.freeze(victim);
    await outage(areAllGone(), () => systemClock.sleep(FROZEN_MS));
    replicas.thaw(victim);
  }

  async function restart(command: string): Promise<void> {
    onFault();
    restarts += 1;
    await outage(true, () => runShell(command));
  }

  return {
    kills: () => kills,
    freezes: () => freezes,
    databaseRestarts: () => restarts,
    outageUntil: () => (isOut ? systemClock.now() : outageEnd),
    async run(until) {
      const kinds = restartDatabase === undefined ? 2 : 3;
      // The first faults are one of each kind, so that a short run has them all, also on a slow machine.
      for (let turn = 1; turn <= kinds || systemClock.now() < until; turn += 1) {
        await systemClock.sleep(random.between(...pauseMs));
        const choice = random.next();
        if (turn === 2 || (turn > 3 && choice < 0.1)) await freezeOne();
        else if (restartDatabase !== undefined && (turn === 3 || choice > 0.9)) await restart(restartDatabase);
        else await killOne();
      }
    },
  };
}
